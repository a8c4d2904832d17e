import { useId, type ReactNode } from 'react'
import { useConnectors } from '../../data/connectors.ts'
import { TextField } from '../../ui/form/field.tsx'

interface Props {
  value: string
  onChange: (value: string) => void
}

/** The action of a rule; those of connectors are suggested. */
export function ActionField({ value, onChange }: Props): ReactNode {
  const id = useId()
  const { data: connectors = [] } = useConnectors()
  const patterns = connectors.flatMap((connector) =>
    connector.actions.length === 0
      ? []
      : [...connector.actions.map(({ id }) => id), `${connector.id}.*`],
  )
  return (
    <>
      <TextField
        label="Action"
        hint="Such as email.send, email.* for all of a connector, or * for all."
        required
        list={id}
        value={value}
        onChange={onChange}
      />
      <datalist id={id}>
        {[...patterns, '*'].map((pattern) => (
          <option key={pattern}>{pattern}</option>
        ))}
      </datalist>
    </>
  )
}
