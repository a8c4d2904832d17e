import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { type ReactNode } from 'react'
import type { CreateMessage, Thread, Workflow } from '../../../sdk/generated.ts'
import { useFilesPart } from '../../parts/start/files-part.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { forgetDraft, useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { isTooLong } from '../../ui/form/limit.ts'
import { modKey } from '../../ui/mod-key.ts'

const longest = 16_000

/** The form for a message. Its text and files are kept as a draft of the thread until they are sent. */
export function Write({ thread, workflow }: { thread: Thread; workflow: Workflow }): ReactNode {
  const { muster } = useSession()
  const { id } = thread
  const [text, setText, clear] = useDraft(`thread.${id}`, '')
  // The files of a draft are stored under the name of what they are for.
  const files = useFilesPart({ ...workflow, id })
  const refresh = useRefresh(['thread-messages', id], ['thread', id], ['threads'])
  const send = useMutation({
    mutationFn: (body: CreateMessage) => muster.threads.send(id, body, { deltas: true }),
    onSuccess: async () => {
      clear()
      forgetDraft(`try.files.${id}`)
      await refresh()
    },
  })
  const isReady = text.trim() !== '' && !isTooLong(text, longest) && files.isBusy !== true
  const submit = (): void => {
    // A key that is held down repeats the event.
    if (isReady && !send.isPending) send.mutate({ input: text, ...files.read() })
  }
  return (
    <Form
      aria-label="Write a message"
      className="panel sticky bottom-2 grid gap-3 p-3 shadow-sm"
      noValidate
      send={submit}
    >
      <TextArea
        label="Message"
        isLabelHidden
        placeholder="Write a message"
        value={text}
        onChange={setText}
        longest={longest}
        advice="put the text in a file"
        rows={2}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
          event.currentTarget.form?.requestSubmit()
        }}
      />
      <details>
        <summary className="text-sm text-ink-soft">Files</summary>
        <div className="mt-2">{files.view}</div>
      </details>
      {send.error !== null && <Failure error={send.error} />}
      <div>
        <Button
          type="submit"
          kind="primary"
          icon={Send}
          shortcut={modKey('↵')}
          isBusy={send.isPending}
          disabled={!isReady}
        >
          Send
        </Button>
      </div>
    </Form>
  )
}
