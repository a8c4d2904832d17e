import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Form } from '../ui/form/form.tsx'
import type { Enter } from './session.tsx'
import { useSubmit } from './submit.ts'

/** A form for an API key, which is tested before it is used. */
export function KeyForm({ enter }: { enter: Enter }): ReactNode {
  const [key, setKey] = useState('')
  const { submit, isBusy, error } = useSubmit(() => enter({ key: key.trim() }))
  return (
    <Form className="grid gap-4" send={submit}>
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
      {error !== undefined && <Failure error={error} />}
      <Button type="submit" kind="primary" isBusy={isBusy} disabled={key.trim() === ''}>
        Sign in
      </Button>
    </Form>
  )
}
