import type { ReactNode } from 'react'
import { CheckField, SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import type { Field } from './fields.ts'
import type { Typed } from './typed.ts'

interface Props {
  field: Field
  typed: Typed
  /** By key of the field. */
  problems: Record<string, string>
  change: (key: string, text: string) => void
}

/** The control for a field; an object is a group of controls. */
export function FieldInput({ field, typed, problems, change }: Props): ReactNode {
  const { name, key, kind, description, isRequired, choices = [], fields, bounds = {} } = field
  if (fields !== undefined) {
    return (
      <fieldset>
        <legend className="text-sm font-medium text-ink-soft">{name}</legend>
        {description !== undefined && <p className="text-xs text-ink-faint">{description}</p>}
        <div className="mt-2 grid gap-4 border-l-2 pl-4">
          {fields.map((inner) => (
            <FieldInput
              key={inner.key}
              field={inner}
              typed={typed}
              problems={problems}
              change={change}
            />
          ))}
        </div>
      </fieldset>
    )
  }
  const text = typed[key]
  const hint = [description, expectationOf(field)].filter(Boolean).join(' · ')
  const common = {
    label: field.label ?? name,
    error: problems[key],
    onChange: (text: string) => change(key, text),
    value: text ?? '',
    isOptional: !isRequired,
    ...(hint === '' ? {} : { hint }),
  }
  switch (kind) {
    case 'number':
    case 'integer':
      return (
        <div className="max-w-56">
          <TextField {...common} inputMode={kind === 'integer' ? 'numeric' : 'decimal'} mono />
        </div>
      )
    case 'boolean':
      return (
        <CheckField
          label={name}
          hint={description}
          checked={text === 'true'}
          onChange={(checked) => change(key, String(checked))}
        />
      )
    case 'choice': {
      const options = choices.map((choice) => ({ value: String(choice), label: String(choice) }))
      const none = { value: '', label: isRequired ? 'Choose…' : 'Left out' }
      const isChosen = isRequired && text !== undefined && text !== ''
      return <SelectField {...common} options={isChosen ? options : [none, ...options]} />
    }
    case 'date':
      return (
        <div className="max-w-56">
          <TextField {...common} type="date" />
        </div>
      )
    case 'moment':
      return <TextField {...common} type="datetime-local" step={1} />
    case 'lines':
      return <TextArea {...common} rows={2} />
    case 'json':
      return <TextArea {...common} rows={3} mono />
    case 'text':
    case 'object':
      return isLong(field, text) ? (
        <TextArea {...common} rows={field.lines ?? 4} />
      ) : (
        <TextField {...common} {...keyboards[bounds.format ?? '']} />
      )
  }
}

/** The keyboard of a phone. */
const keyboards: Record<string, { inputMode: 'email' | 'url' }> = {
  email: { inputMode: 'email' },
  uri: { inputMode: 'url' },
}

function isLong({ name, lines, bounds: { maxLength = 0 } = {} }: Field, text = ''): boolean {
  // A line break in a field of one line has to be seen.
  if (lines !== undefined) return lines > 1 || text.includes('\n')
  return text.length > 80 || text.includes('\n') || name === 'text' || maxLength > 200
}

function expectationOf({ kind, item, bounds: { minimum, maximum } = {} }: Field): string {
  if (kind === 'lines') return item === 'text' ? 'One on each line' : 'A number on each line'
  if (kind === 'json') return 'As JSON'
  if (kind === 'moment') return 'In your time zone'
  if (kind !== 'number' && kind !== 'integer') return ''
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `${minimum} or more`
  return maximum === undefined ? '' : `Up to ${maximum}`
}
