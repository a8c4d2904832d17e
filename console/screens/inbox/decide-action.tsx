import { Check, Pencil, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { forgetDraft, hasDraft } from '../../ui/form/draft.ts'
import { useKeys } from '../../ui/keys.ts'
import { AlwaysAllow } from './always-allow.tsx'
import { bar, inCall, type AnswerProps } from './answer-bar.ts'
import { EditAction } from './edit-action.tsx'
import { Reject } from './reject.tsx'
import { ChooseButton } from './together.tsx'
import type { Hindrance } from './who-may.ts'

/** Approves an action, edited or not, or rejects it. */
export function DecideAction({
  waiting,
  isRepeat,
  isBusy,
  error,
  respond,
  hindrance,
  region,
  place,
  closed,
}: AnswerProps & { hindrance: Hindrance }): ReactNode {
  const className = place === undefined ? bar : inCall
  const isLocal = place?.isCurrent === false
  const { id, tool = '', tool_input: value = {} } = waiting.pending
  // Restores the answer that was being written before a reload.
  const [mode, setMode] = useState(() => begunMode(id))
  const [left, setLeft] = useState<Mode>()
  const decide = () => {
    setLeft(mode)
    setMode('decide')
  }
  const isOpen = closed === undefined
  const canEdit = !isRepeat && hindrance.approve === undefined
  const whyNot = hindrance.approve ?? hindrance.again
  const canApprove = whyNot === undefined
  const approve = () => respond({ action: 'approve' })
  const canPress = mode === 'decide' && !isBusy && isOpen
  useKeys(
    {
      a: canPress && canApprove ? { run: approve, verb: 'approve' } : undefined,
      e: canPress && canEdit ? () => setMode('edit') : undefined,
      r: canPress ? () => setMode('reject') : undefined,
    },
    { region, isLocal },
  )
  if (mode === 'edit' && (canEdit || !isOpen)) {
    return (
      <EditAction
        pendingId={id}
        tool={tool}
        value={value}
        isBusy={isBusy}
        error={error}
        closed={closed}
        approve={(tool_input) => respond({ action: 'approve', tool_input })}
        cancel={() => {
          forgetDraft(`edit.${id}`)
          decide()
        }}
        leave={decide}
      />
    )
  }
  if (mode === 'reject') {
    return (
      <Reject
        id={id}
        isBusy={isBusy}
        error={error}
        closed={closed}
        respond={respond}
        cancel={() => {
          forgetDraft(`reject.${id}`)
          decide()
        }}
        leave={decide}
        className={className}
      />
    )
  }
  if (!isOpen) return null
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
          <Button
            icon={Pencil}
            {...keyOf('e')}
            disabled={isBusy}
            autoFocus={left === 'edit'}
            onClick={() => setMode('edit')}
          >
            Edit
          </Button>
        )}
        <Button
          icon={X}
          {...keyOf('r')}
          disabled={isBusy}
          autoFocus={left === 'reject'}
          onClick={() => setMode('reject')}
        >
          {isRepeat ? 'Go on without' : 'Reject'}
        </Button>
        {place === undefined && !isRepeat && canApprove && <ChooseButton waiting={waiting} />}
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
