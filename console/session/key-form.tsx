import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Failure } from '../ui/failure.tsx'

/** Takes an API key and tries it. */
export function KeyForm({ enter }: { enter: (key: string) => Promise<void> }): ReactNode {
  const [key, setKey] = useState('')
  const [error, setError] = useState<unknown>()
  const [isTrying, setIsTrying] = useState(false)

  const submit = async () => {
    setIsTrying(true)
    setError(undefined)
    try {
      await enter(key.trim())
    } catch (error) {
      setError(error)
      setIsTrying(false)
    }
  }
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <TextField
        label="API key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        autoFocus
        value={key}
        onChange={setKey}
        hint="It stays in this tab and is forgotten when the tab is closed."
        mono
      />
      {error !== undefined && <Failure error={error} />}
      <Button type="submit" kind="primary" isBusy={isTrying} disabled={key.trim() === ''}>
        Sign in
      </Button>
    </form>
  )
}
