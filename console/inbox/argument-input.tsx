import type { ReactNode } from 'react'
import { CheckField, SelectField, TextArea, TextField } from '../ui/field.tsx'
import type { ArgumentField } from './arguments.ts'

interface Props {
  field: ArgumentField
  text: string | undefined
  problem: string | undefined
  onChange: (text: string) => void
}

/** The control that fits an argument. */
export function ArgumentInput({ field, text, problem, onChange }: Props): ReactNode {
  const { name, kind, description, isRequired, choices = [] } = field
  const common = {
    label: name,
    error: problem,
    onChange,
    value: text ?? '',
    ...(description === undefined ? {} : { hint: description }),
  }
  switch (kind) {
    case 'number':
    case 'integer':
      return <TextField {...common} inputMode={kind === 'integer' ? 'numeric' : 'decimal'} mono />
    case 'boolean':
      return (
        <CheckField
          label={name}
          hint={description}
          checked={text === 'true'}
          onChange={(checked) => onChange(String(checked))}
        />
      )
    case 'choice': {
      const options = choices.map((choice) => ({ value: String(choice), label: String(choice) }))
      const none = { value: '', label: 'Left out' }
      return <SelectField {...common} options={isRequired ? options : [none, ...options]} />
    }
    case 'lines':
      return <TextArea {...common} rows={2} hint={description ?? 'One on each line'} />
    case 'json':
      return <TextArea {...common} rows={3} mono hint={description ?? 'As JSON'} />
    case 'text':
      return (text?.length ?? 0) > 80 || text?.includes('\n') === true || name === 'text' ? (
        <TextArea {...common} rows={4} />
      ) : (
        <TextField {...common} />
      )
  }
}
