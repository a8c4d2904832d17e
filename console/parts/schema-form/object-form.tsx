import { Suspense, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { CodeField } from '../../ui/form/lazy-code-field.tsx'
import { Loading } from '../../ui/states.tsx'
import { FieldInput } from './field-input.tsx'
import { fieldsOf, type Field, type Values } from './fields.ts'
import { isForm, keyAt, parseTyped, readObject, typedOf, type Typed } from './typed.ts'

interface Options {
  /** Key under which the draft is stored. */
  draft: string
  /** Label of the whole form. */
  label: string
  schema: unknown
  /** Values at the start. */
  initial: Values
  /** Orders and names the fields. */
  arrange?: (fields: Field[]) => Field[]
  /** Fields that were emptied are left out of the object. */
  dropsEmpty?: boolean
}

interface Draft {
  /** The value that determines which fields are shown. */
  base: Values
  typed: Typed
  /** The object as JSON, while it is edited as JSON. */
  raw?: string
}

export interface ObjectForm {
  fields: ReactNode
  /** Switches between fields and JSON; null if the object has no fields. */
  toggle: ReactNode
  /** The entered object; undefined if it has errors, which are then shown. */
  read: () => Values | undefined
  /**
   * Shows an error of the API at its field, by its path in the object; false if no field has it.
   */
  blame: (param: string, message: string) => void
}

/** A form for an object: fields by its schema, or JSON if chosen or necessary. */
export function useObjectForm({ label, schema, initial, ...options }: Options): ObjectForm {
  const [stored, setDraft] = useDraft<Draft | undefined>(options.draft, undefined)
  const [problems, setProblems] = useState<Record<string, string>>({})
  const draft = stored?.base === undefined ? begin(schema, initial) : stored
  const { arrange = (all) => all } = options
  const fields = arrange(fieldsOf(schema, draft.base))

  const change = (key: string, text: string) => {
    const { [key]: _, ...typed } = draft.typed
    const isLeftOut = text === '' && options.dropsEmpty === true
    setDraft({ ...draft, typed: isLeftOut ? typed : { ...typed, [key]: text } })
    if (key in problems) {
      const { [key]: _, ...others } = problems
      setProblems(others)
    }
  }
  const read = (): Values | undefined => {
    if (draft.raw !== undefined) {
      const value = readObject(draft.raw)
      setProblems(value === undefined ? { raw: 'This is not a JSON object' } : {})
      return value
    }
    const parsed = parseTyped(fields, draft.typed)
    setProblems('problems' in parsed ? parsed.problems : {})
    return 'value' in parsed ? parsed.value : undefined
  }
  const switchOver = () => {
    const value = read()
    if (value === undefined) return
    if (draft.raw === undefined) setDraft({ ...draft, raw: JSON.stringify(value, null, 2) })
    else setDraft({ base: value, typed: typedOf(fieldsOf(schema, value), value) })
  }
  const isRaw = draft.raw !== undefined
  return {
    read,
    blame: (param, message) => {
      const key = isRaw ? 'raw' : keyAt(fields, param)
      if (key !== undefined) setProblems({ [key]: message })
    },
    toggle: isForm(fields) && (
      <Button kind="quiet" onClick={switchOver}>
        {isRaw ? 'As fields' : 'As JSON'}
      </Button>
    ),
    fields:
      draft.raw === undefined ? (
        fields.map((field) => (
          <FieldInput
            key={field.key}
            field={field}
            typed={draft.typed}
            problems={problems}
            change={change}
          />
        ))
      ) : (
        <Suspense fallback={<Loading lines={5} />}>
          <CodeField
            label={label}
            isLabelHidden
            language="json"
            value={draft.raw}
            onChange={(raw) => setDraft({ ...draft, raw })}
            error={problems['raw']}
          />
        </Suspense>
      ),
  }
}

function begin(schema: unknown, initial: Values): Draft {
  const fields = fieldsOf(schema, initial)
  const typed = typedOf(fields, initial)
  const raw = isForm(fields) ? {} : { raw: JSON.stringify(initial, null, 2) }
  return { base: initial, typed, ...raw }
}
