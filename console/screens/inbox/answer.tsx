import { useRef, useState, type ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { forgetDraft, hasDraft, useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { useKeys } from '../../ui/keys.ts'
import { bar, inCall, type AnswerProps } from './answer-bar.ts'
import { Closed, hasUnsent } from './closed.tsx'
import { DecideAction } from './decide-action.tsx'
import { DecideCost } from './decide-cost.tsx'
import { Reject } from './reject.tsx'
import { hindranceOf, type Hindrance } from './who-may.ts'

/**
 * The answer buttons: at the bottom of the case, within a thumb's reach, or in one call of several.
 */
export function AnswerBar(props: AnswerProps): ReactNode {
  const { rights, identity } = useSession()
  const { closed } = props
  const { id, kind } = props.waiting.pending
  if (closed !== undefined && !hasUnsent(id)) return null
  const hindrance = hindranceOf(props.waiting.pending, identity)
  const whyNot = rights.answer
    ? hindrance.answer
    : 'You have a read-only role. Ask an approver to answer.'
  if (whyNot !== undefined && closed === undefined) return <p className="text-ink-soft">{whyNot}</p>
  if (kind === 'input') return <AnswerQuestion {...props} />
  const Decide = kind === 'budget' ? DecideBudget : DecideAction
  return <Decide {...props} hindrance={hindrance} />
}

function AnswerQuestion(props: AnswerProps): ReactNode {
  const { waiting, isBusy, error, closed, respond, region, place } = props
  const [text, setText, clear] = useDraft(`answer.${waiting.pending.id}`, '')
  const form = useRef<HTMLFormElement>(null)
  useKeys(
    { a: undefined, e: undefined, r: () => form.current?.querySelector('textarea')?.focus() },
    { region, isLocal: place?.isCurrent === false },
  )
  return (
    <Form
      ref={form}
      className={`${place === undefined ? bar : inCall} grid gap-3`}
      send={() => closed === undefined && respond({ action: 'input', input: text })}
    >
      {error !== null && <Failure error={error} />}
      <TextArea label="Your answer" rows={2} value={text} onChange={setText} longest={16_000} />
      {closed !== undefined ? (
        <Closed discard={clear}>{closed}</Closed>
      ) : (
        <div>
          <Button type="submit" kind="primary" isBusy={isBusy} disabled={text.trim() === ''}>
            Send answer
          </Button>
        </div>
      )}
    </Form>
  )
}

function DecideBudget(props: AnswerProps & { hindrance: Hindrance }): ReactNode {
  const { waiting, isBusy, error, closed, respond, hindrance } = props
  const { id, cost } = waiting.pending
  const [isRejecting, setRejecting] = useState(() => hasDraft(`reject.${id}`))
  const cancel = () => {
    forgetDraft(`reject.${id}`)
    setRejecting(false)
  }
  if (cost === undefined || (closed !== undefined && !isRejecting)) return null
  return isRejecting ? (
    <Reject
      {...{ id, isBusy, error, closed, respond, cancel }}
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
