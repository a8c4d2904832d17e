import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Case, Notification } from '../../../sdk/generated.ts'
import { useComments, useNotedCase } from '../../data/channels.ts'
import { useUsers } from '../../data/people.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Failure } from '../../ui/failure.tsx'
import { SelectField, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Dot } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { Closed, closedWords } from './closed.tsx'

/** The assignee of a request, the notified people, and comments. None of them answers it. */
export function CaseNotes({
  pendingId,
  isOver,
}: {
  pendingId: string
  isOver: boolean
}): ReactNode {
  return (
    <section aria-label="Notes" className="panel divide-y">
      {!isOver && <Told pendingId={pendingId} />}
      <Comments pendingId={pendingId} isOver={isOver} />
    </section>
  )
}

function Told({ pendingId }: { pendingId: string }): ReactNode {
  const { data } = useNotedCase(pendingId)
  if (data === undefined) return null
  const { notifications } = data
  return (
    <>
      <Assignee noted={data} />
      {notifications.length > 0 && (
        <details open={notifications.some(({ error }) => error !== null)}>
          <summary className="px-4 py-2.5 text-sm font-medium text-ink-soft hover:bg-hover">
            {summaryOf(notifications)}
          </summary>
          <ul className="grid gap-1.5 px-4 pt-1 pb-4 text-sm">
            {notifications.map((one) => (
              <li key={one.id} className="flex flex-wrap items-baseline gap-x-3">
                <Delivery notification={one} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const states: Record<Notification['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'live', word: 'Sending' },
  sent: { tone: 'ok', word: 'Sent' },
  failed: { tone: 'bad', word: 'Undelivered' },
  dropped: { tone: 'neutral', word: 'Not needed' },
}

const kinds: Partial<Record<Notification['kind'], string>> = {
  reminder: 'reminder',
  escalation: 'escalation',
  assignment: 'assignment',
}

function Delivery({ notification }: { notification: Notification }): ReactNode {
  const { kind, recipient, status, error, next_attempt_at: nextAt } = notification
  const isFailing = status === 'pending' && error !== null
  const { tone, word } = isFailing ? { tone: 'bad' as const, word: 'Failing' } : states[status]
  return (
    <>
      <Dot tone={tone}>{word}</Dot>
      <span>
        {recipient}
        {kinds[kind] !== undefined && <span className="text-ink-soft"> ({kinds[kind]})</span>}
      </span>
      {error !== null && <span className="wrap-anywhere text-bad">{toLine(error, 500)}</span>}
      {isFailing && nextAt !== null && (
        <span className="text-ink-soft">
          next try <Ago at={nextAt} />
        </span>
      )}
    </>
  )
}

function summaryOf(notifications: Notification[]): string {
  const failed = notifications.filter(({ error }) => error !== null).length
  const sent = notifications.filter(({ status }) => status === 'sent').length
  const told = `Told ${sent} of ${notifications.length}`
  return failed === 0 ? told : `${told}, ${failed} undelivered`
}

function Assignee({ noted }: { noted: Case }): ReactNode {
  const { muster, rights, identity } = useSession()
  const { id } = noted.pending
  const users = useUsers({ enabled: rights.administer })
  const assign = useMutation({
    mutationFn: (userId: string) =>
      muster.pending.assign(id, { user_id: userId === '' ? null : userId }),
    onSettled: useRefresh(['noted-case', id]),
  })
  const me = identity.person
  const known = [
    ...(noted.assignee === null ? [] : [noted.assignee]),
    ...(me === undefined ? [] : [{ id: me.id, name: `${me.name} (you)` }]),
    ...(users.data ?? []).filter(({ role }) => role !== 'viewer'),
  ]
  const options = [...new Map(known.map((one) => [one.id, one.name])).entries()]
  if (!rights.answer || options.length === 0) {
    return noted.assignee === null ? null : (
      <p className="px-4 py-3 text-sm text-ink-soft">Assigned to {noted.assignee.name}</p>
    )
  }
  return (
    <div className="grid gap-2 px-4 py-3">
      <SelectField
        label="Assigned to"
        value={noted.assignee?.id ?? ''}
        onChange={(userId) => assign.mutate(userId)}
        disabled={assign.isPending}
        options={[
          { value: '', label: 'Nobody' },
          ...options.map(([value, label]) => ({ value, label })),
        ]}
      />
      {assign.error !== null && <Failure error={assign.error} />}
    </div>
  )
}

function Comments({ pendingId, isOver }: { pendingId: string; isOver: boolean }): ReactNode {
  const { muster, rights } = useSession()
  const { data: comments = [], error } = useComments(pendingId)
  const [text, setText, clear] = useDraft(`comment.${pendingId}`, '')
  const send = useMutation({
    mutationFn: () => muster.pending.comment(pendingId, { text: text.trim() }),
    onSuccess: async () => {
      clear()
      await refresh()
    },
  })
  const refresh = useRefresh(['comments', pendingId])
  const canWrite = rights.answer && !isOver
  const isUnsent = rights.answer && isOver && text !== ''
  if (comments.length === 0 && !canWrite && !isUnsent) return null
  return (
    <div className="grid gap-3 px-4 py-3">
      {error !== null && <Failure error={error} />}
      {comments.length > 0 && (
        <ul aria-label="Comments" className="grid gap-2 text-sm">
          {comments.toReversed().map((one) => (
            <li key={one.id}>
              <p className="text-ink-soft">
                {one.author.name} <Ago at={one.created_at} />
              </p>
              <Text text={one.text} />
            </li>
          ))}
        </ul>
      )}
      {(canWrite || isUnsent) && (
        <Form className="grid gap-2" send={() => canWrite && send.mutate()}>
          <TextArea
            label="Comment"
            hint="For other people. The agent does not see it."
            rows={2}
            longest={4_000}
            value={text}
            onChange={setText}
          />
          {send.error !== null && <Failure error={send.error} />}
          {isUnsent ? (
            <Closed discard={clear}>{closedWords}</Closed>
          ) : (
            <div>
              <Button type="submit" isBusy={send.isPending} disabled={text.trim() === ''}>
                Add comment
              </Button>
            </div>
          )}
        </Form>
      )}
    </div>
  )
}
