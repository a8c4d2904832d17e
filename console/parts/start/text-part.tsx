import type { Workflow } from '../../../sdk/generated.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import type { StartPart } from './part.ts'

/** The text input of a run. */
export function useTextPart({ id, input_schema: schema }: Workflow): StartPart {
  const [text, setText] = useDraft(`try.${id}`, '')
  const isGiven = text.trim() !== ''
  return {
    name: 'text',
    isGiven,
    read: () => (isGiven ? { input: text } : {}),
    // Its only errors are limits, which the field enforces.
    blame: () => {},
    view: (
      <TextArea
        label="Input"
        isLabelHidden={schema === null}
        isOptional={schema !== null}
        placeholder="The text that the crew works on"
        value={text}
        onChange={setText}
        maxLength={16_000}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
          event.currentTarget.form?.requestSubmit()
        }}
        rows={schema === null ? 3 : 2}
      />
    ),
  }
}
