import type { ReactNode } from 'react'
import type { RunAnswer } from '../../../sdk/runs.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Closed } from './closed.tsx'

interface RejectProps {
  id: string
  isBusy: boolean
  error: unknown
  /** Why the request is closed: the reason stays, and cannot be sent. */
  closed?: string | undefined
  respond: (answer: RunAnswer) => void
  cancel: () => void
  /** Goes back, keeping the input for later. */
  leave: () => void
  className: string
  /** Label of its button. */
  label?: string
}

/** The reason of a rejection. */
export function Reject(props: RejectProps): ReactNode {
  const { id, isBusy, error, closed, respond, cancel, leave, className, label = 'Reject' } = props
  const [reason, setReason] = useDraft(`reject.${id}`, '')
  return (
    <Form
      className={`${className} grid gap-3`}
      send={() => {
        if (closed !== undefined) return
        respond({ action: 'reject', ...(reason.trim() === '' ? {} : { reason }) })
      }}
    >
      {error !== null && <Failure error={error} />}
      <TextArea
        label="Reason (optional)"
        hint="Stored with the decision; the agent sees it if the run continues."
        rows={2}
        autoFocus
        value={reason}
        onChange={setReason}
        longest={2_000}
        onKeyDown={(event) => event.key === 'Escape' && leave()}
      />
      {closed !== undefined ? (
        <Closed discard={cancel}>{closed}</Closed>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" kind="danger" isBusy={isBusy}>
            {label}
          </Button>
          <Button onClick={cancel}>Cancel</Button>
        </div>
      )}
    </Form>
  )
}
