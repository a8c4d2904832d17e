import { useState, type ReactNode } from 'react'
import { TextField } from '../ui/form/field.tsx'
import { EntryForm } from './entry-form.tsx'
import type { Enter } from './session.tsx'

/** A form for an API key, which is tested before it is used. */
export function KeyForm({ enter }: { enter: Enter }): ReactNode {
  const [key, setKey] = useState('')
  const given = key.trim()
  return (
    <EntryForm action="Sign in" isReady={given !== ''} send={() => enter({ key: given })}>
      <TextField
        label="API key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        autoFocus
        value={key}
        onChange={setKey}
        hint="It stays in this tab until the tab is closed."
        mono
      />
    </EntryForm>
  )
}
