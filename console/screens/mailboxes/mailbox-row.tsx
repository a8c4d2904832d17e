import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { Mailbox, MailboxMessage } from '../../../sdk/generated.ts'
import { useMessages } from '../../data/channels.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { List } from '../../ui/list.tsx'
import { Dot, type Tone } from '../../ui/status.tsx'
import { toLine } from '../../ui/text/invisible.ts'
import { Ago } from '../../ui/text/time.tsx'
import { MailboxForm } from './mailbox-form.tsx'

/** A mailbox with its state, and what became of its messages. */
export function MailboxRow({
  mailbox,
  workflow,
}: {
  mailbox: Mailbox
  workflow: string
}): ReactNode {
  const { id, name, username, folder, active } = mailbox
  const { muster, rights } = useSession()
  const [isEdited, setEdited] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const refresh = useRefresh(['mailboxes'])
  const test = useMutation({ mutationFn: () => muster.mailboxes.test(id), onSettled: refresh })
  const toggle = useMutation({
    mutationFn: () => muster.mailboxes.update(id, { active: !active }),
    onSuccess: refresh,
  })
  const remove = async (): Promise<void> => {
    await muster.mailboxes.delete(id)
    await refresh()
  }
  return (
    <section aria-label={name} className="grid gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="min-w-0 flex-1 basis-64">
          <span className="block truncate font-medium">{name}</span>
          <span className="block truncate text-sm text-ink-soft">
            {username} · {folder} · runs {workflow}
          </span>
        </span>
        <span className="text-sm">
          <State mailbox={mailbox} />
        </span>
        {rights.administer && (
          <span className="flex flex-wrap gap-2">
            <Button isBusy={test.isPending} onClick={() => test.mutate()}>
              Test
            </Button>
            <Button isBusy={toggle.isPending} onClick={() => toggle.mutate()}>
              {active ? 'Pause' : 'Resume'}
            </Button>
            <Button onClick={() => setEdited(true)}>Change</Button>
            <ConfirmButton
              label="Delete"
              title={`Delete ${name}?`}
              action="Delete mailbox"
              wayOut="Cancel"
              run={remove}
            >
              Its emails stay where they are. What became of them is forgotten here.
            </ConfirmButton>
          </span>
        )}
      </div>
      {mailbox.state === 'failing' && mailbox.message !== null && (
        <p className="text-sm wrap-anywhere text-bad">{toLine(mailbox.message, 500)}</p>
      )}
      {test.data !== undefined && (
        <p role="status" className={`text-sm ${test.data.ok ? 'text-ok' : 'text-bad'}`}>
          {toLine(test.data.message, 500)}
        </p>
      )}
      {[test.error, toggle.error].map(
        (error, index) => error !== null && <Failure key={index} error={error} />,
      )}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="text-sm font-medium text-ink-soft hover:underline">Messages</summary>
        {isOpen && <Messages mailboxId={id} />}
      </details>
      {isEdited && <MailboxForm mailbox={mailbox} close={() => setEdited(false)} />}
    </section>
  )
}

function State({ mailbox: { active, state } }: { mailbox: Mailbox }): ReactNode {
  if (!active) return <Dot tone="neutral">Paused</Dot>
  if (state === 'failing') return <Dot tone="bad">Failing</Dot>
  return state === 'working' ? (
    <Dot tone="ok">Working</Dot>
  ) : (
    <Dot tone="neutral">Not tried yet</Dot>
  )
}

function Messages({ mailboxId }: { mailboxId: string }): ReactNode {
  const query = useMessages(mailboxId)
  return (
    <div className="mt-2">
      <List
        label="Messages"
        query={query}
        empty={<p className="px-4 py-3 text-sm text-ink-soft">No message has arrived yet.</p>}
      >
        {(message) => <Message message={message} />}
      </List>
    </div>
  )
}

const states: Record<MailboxMessage['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'live', word: 'Starting' },
  started: { tone: 'ok', word: 'Started' },
  ignored: { tone: 'neutral', word: 'Ignored' },
  failed: { tone: 'bad', word: 'Refused' },
}

function Message({ message }: { message: MailboxMessage }): ReactNode {
  const { sender, subject, status, why, run_id: runId } = message
  const { tone, word } = states[status]
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm">
      <span className="w-20">
        <Dot tone={tone}>{word}</Dot>
      </span>
      <span className="min-w-0 flex-1 basis-56">
        <span className="block truncate">{toLine(subject, 300) || 'No subject'}</span>
        <span className="block truncate text-ink-soft">
          {toLine(sender, 254)}
          {why !== null && ` · ${toLine(why, 300)}`}
        </span>
      </span>
      {runId !== null && (
        <Link to="/runs/$runId" params={{ runId }} className="link">
          View run
        </Link>
      )}
      <span className="text-ink-faint">
        <Ago at={message.created_at} />
      </span>
    </div>
  )
}
