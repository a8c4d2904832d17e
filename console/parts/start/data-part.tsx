import type { Workflow } from '../../../sdk/generated.ts'
import { defaultsOf } from '../schema-form/fields.ts'
import { useObjectForm } from '../schema-form/object-form.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { ObjectField, objectOf } from '../../ui/form/object-field.tsx'
import type { StartPart } from './part.ts'

/** The data of a run: fields by the workflow's schema; without one, an optional object. */
export function useDataPart(workflow: Workflow): StartPart {
  const free = useFreeData(workflow)
  const fields = useFields(workflow)
  return workflow.input_schema === null ? free : fields
}

function useFields({ id, input_schema: schema }: Workflow): StartPart {
  const form = useObjectForm({
    draft: `try.fields.${id}`,
    label: 'Input data',
    schema,
    initial: defaultsOf(schema),
    dropsEmpty: true,
  })
  return {
    name: 'data',
    // An empty object may be valid.
    isGiven: true,
    read: () => {
      const data = form.read()
      return data === undefined ? undefined : { data }
    },
    blame: ({ param, message }) => {
      if (param.startsWith('data.')) form.blame(param.slice('data.'.length), message)
    },
    view: (
      <div role="group" aria-label="Input data" className="grid gap-4">
        <div className="flex items-center justify-between gap-3">
          <h3 className="text-sm font-semibold">Input data</h3>
          {form.toggle}
        </div>
        {form.fields}
      </div>
    ),
  }
}

function useFreeData({ id }: Workflow): StartPart {
  const [text, setText] = useDraft(`try.data.${id}`, '')
  const isGiven = text.trim() !== ''
  return {
    name: 'data',
    isGiven,
    read: () => (isGiven ? { data: objectOf(text) } : {}),
    blame: () => {},
    view: (
      <ObjectField
        label="Input data"
        hint="A JSON object, with or instead of the text."
        value={text}
        onChange={setText}
      />
    ),
  }
}
