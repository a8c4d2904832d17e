import { useRef, useState, type ReactNode, type RefObject } from 'react'
import { Check, Pencil, X } from 'lucide-react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import type { RunAnswer } from '../../../sdk/runs.ts'
import { useSession } from '../../session/session.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Button } from '../../ui/button.tsx'
import { forgetDraft, hasDraft, useDraft } from '../../ui/form/draft.ts'
import { Failure } from '../../ui/failure.tsx'
import { TextArea } from '../../ui/form/field.tsx'
import { useKeys } from '../../ui/keys.ts'
import { AlwaysAllow } from './always-allow.tsx'
import { DecideCost } from './decide-cost.tsx'
import { EditAction } from './edit-action.tsx'
import { hindranceOf, type Hindrance } from './who-may.ts'

type Answer = RunAnswer

interface Props {
  waiting: WaitingRun
  /** The call may have been made already: it can only be repeated unchanged, or not. */
  isRepeat: boolean
  isBusy: boolean
  /** Why the answer was rejected. */
  error: unknown
  respond: (answer: Answer) => void
  /** Keyboard shortcuts that decide act at once while the focus is inside this. */
  region: RefObject<HTMLElement | null>
  /**
   * For one of several calls: the buttons are in the call, and keyboard shortcuts work for the call
   * with the focus, else for the current one.
   */
  place?: { isCurrent: boolean }
}

/**
 * The answer buttons: at the bottom of the case, within a thumb's reach, or in one call of several.
 */
export function AnswerBar(props: Props): ReactNode {
  const { rights, identity } = useSession()
  const hindrance = hindranceOf(props.waiting.pending, identity)
  const whyNot = rights.answer
    ? hindrance.answer
    : 'You have a read-only role. Ask an approver to answer.'
  if (whyNot !== undefined) return <p className="text-ink-soft">{whyNot}</p>
  const { kind } = props.waiting.pending
  if (kind === 'input') return <AnswerQuestion {...props} />
  const Decide = kind === 'budget' ? DecideBudget : DecideAction
  return <Decide {...props} hindrance={hindrance} />
}

const inCall = 'border-t px-4 py-3'
export const bar =
  'sticky bottom-[calc(3.5rem+var(--not-live))] z-10 -mx-4 border-t bg-canvas/95 px-4 py-3 backdrop-blur-sm sm:-mx-8 sm:px-8 md:bottom-(--not-live)'

function AnswerQuestion({ waiting, isBusy, error, respond, region, place }: Props): ReactNode {
  const [text, setText] = useDraft(`answer.${waiting.pending.id}`, '')
  const form = useRef<HTMLFormElement>(null)
  useKeys(
    { a: undefined, e: undefined, r: () => form.current?.querySelector('textarea')?.focus() },
    { region, isLocal: place?.isCurrent === false },
  )
  return (
    <Form
      ref={form}
      className={`${place === undefined ? bar : inCall} grid gap-3`}
      send={() => respond({ action: 'input', input: text })}
    >
      {error !== null && <Failure error={error} />}
      <TextArea label="Your answer" rows={2} value={text} onChange={setText} longest={16_000} />
      <div>
        <Button type="submit" kind="primary" isBusy={isBusy} disabled={text.trim() === ''}>
          Send answer
        </Button>
      </div>
    </Form>
  )
}

function DecideBudget(props: Props & { hindrance: Hindrance }): ReactNode {
  const { waiting, isBusy, error, respond, hindrance } = props
  const { id, cost } = waiting.pending
  const [isRejecting, setRejecting] = useState(() => hasDraft(`reject.${id}`))
  const cancel = () => {
    forgetDraft(`reject.${id}`)
    setRejecting(false)
  }
  if (cost === undefined) return null
  return isRejecting ? (
    <Reject
      {...{ id, isBusy, error, respond, cancel }}
      leave={() => setRejecting(false)}
      className={bar}
    />
  ) : (
    <DecideCost
      {...{ id, cost, isBusy, error, respond }}
      whyNot={hindrance.approve}
      reject={() => setRejecting(true)}
      className={bar}
    />
  )
}

function DecideAction({
  waiting,
  isRepeat,
  isBusy,
  error,
  respond,
  hindrance,
  region,
  place,
}: Props & { hindrance: Hindrance }): ReactNode {
  const className = place === undefined ? bar : inCall
  const isLocal = place?.isCurrent === false
  const { id, tool = '', tool_input: value = {} } = waiting.pending
  // Restores the answer that was being written before a reload.
  const [mode, setMode] = useState(() => begunMode(id))
  const canEdit = !isRepeat && hindrance.approve === undefined
  const whyNot = hindrance.approve ?? hindrance.again
  const canApprove = whyNot === undefined
  const approve = () => respond({ action: 'approve' })
  const canPress = mode === 'decide' && !isBusy
  useKeys(
    {
      a: canPress && canApprove ? { run: approve, verb: 'approve' } : undefined,
      e: canPress && canEdit ? () => setMode('edit') : undefined,
      r: canPress ? () => setMode('reject') : undefined,
    },
    { region, isLocal },
  )
  if (mode === 'edit' && canEdit) {
    return (
      <EditAction
        pendingId={id}
        tool={tool}
        value={value}
        isBusy={isBusy}
        error={error}
        approve={(tool_input) => respond({ action: 'approve', tool_input })}
        cancel={() => {
          forgetDraft(`edit.${id}`)
          setMode('decide')
        }}
        leave={() => setMode('decide')}
      />
    )
  }
  if (mode === 'reject') {
    return (
      <Reject
        id={id}
        isBusy={isBusy}
        error={error}
        respond={respond}
        cancel={() => {
          forgetDraft(`reject.${id}`)
          setMode('decide')
        }}
        leave={() => setMode('decide')}
        className={className}
      />
    )
  }
  const keyOf = (key: string) => (isLocal ? {} : { shortcut: key })
  return (
    <div className={`${className} grid gap-2`}>
      {error !== null && <Failure error={error} />}
      {whyNot !== undefined && (
        <p id={`why-not-${id}`} role="note" className="text-sm text-ink-soft">
          {whyNot}
        </p>
      )}
      <div className="flex flex-wrap gap-2 *:flex-1 sm:*:flex-none">
        <Button
          kind="primary"
          icon={Check}
          {...keyOf('a')}
          isBusy={isBusy}
          disabled={!canApprove}
          aria-describedby={canApprove ? undefined : `why-not-${id}`}
          onClick={approve}
        >
          {isRepeat ? 'Do it again' : 'Approve'}
        </Button>
        {canEdit && (
          <Button icon={Pencil} {...keyOf('e')} disabled={isBusy} onClick={() => setMode('edit')}>
            Edit
          </Button>
        )}
        <Button icon={X} {...keyOf('r')} disabled={isBusy} onClick={() => setMode('reject')}>
          {isRepeat ? 'Go on without' : 'Reject'}
        </Button>
        {!isRepeat && <AlwaysAllow waiting={waiting} />}
      </div>
    </div>
  )
}

type Mode = 'decide' | 'edit' | 'reject'

function begunMode(id: string): Mode {
  if (hasDraft(`edit.${id}`)) return 'edit'
  return hasDraft(`reject.${id}`) ? 'reject' : 'decide'
}

interface RejectProps {
  id: string
  isBusy: boolean
  error: unknown
  respond: (answer: Answer) => void
  cancel: () => void
  /** Goes back, keeping the input for later. */
  leave: () => void
  className: string
  /** Label of its button. */
  label?: string
}

export function Reject(props: RejectProps): ReactNode {
  const { id, isBusy, error, respond, cancel, leave, className, label = 'Reject' } = props
  const [reason, setReason] = useDraft(`reject.${id}`, '')
  return (
    <Form
      className={`${className} grid gap-3`}
      send={() => respond({ action: 'reject', ...(reason.trim() === '' ? {} : { reason }) })}
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
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="danger" isBusy={isBusy}>
          {label}
        </Button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </Form>
  )
}
