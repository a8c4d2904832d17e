import type { Workflow } from '../../../sdk/generated.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { isTooLong } from '../../ui/form/limit.ts'
import type { StartPart } from './part.ts'

const longest = 16_000

/** The text input of a run. */
export function useTextPart({ id, input_schema: schema }: Workflow): StartPart {
  const [text, setText] = useDraft(`try.${id}`, '')
  const isGiven = text.trim() !== ''
  return {
    name: 'text',
    isGiven,
    read: () => {
      if (isTooLong(text, longest)) return undefined
      return isGiven ? { input: text } : {}
    },
    // Its only error is its length, which the field shows.
    blame: () => {},
    view: (
      <TextArea
        label="Input"
        isLabelHidden={schema === null}
        isOptional={schema !== null}
        placeholder="The text that the crew works on"
        value={text}
        onChange={setText}
        longest={longest}
        advice="put the text in a file"
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
          event.currentTarget.form?.requestSubmit()
        }}
        rows={schema === null ? 3 : 2}
      />
    ),
  }
}
