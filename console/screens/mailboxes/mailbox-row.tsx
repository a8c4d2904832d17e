import { useState, type ReactNode } from 'react'
import type { Mailbox, MailboxMessage } from '../../../sdk/generated.ts'
import { useMessages } from '../../data/channels.ts'
import { ManagedRow, TriedState } from '../../parts/managed-row.tsx'
import { StartedRunLink } from '../../parts/runs/started-run.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { List } from '../../ui/list.tsx'
import { Dot } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { Ago } from '../../ui/text/time.tsx'
import { MailboxForm } from './mailbox-form.tsx'

interface Props {
  mailbox: Mailbox
  /** Name of the workflow that its messages start. */
  workflow: string
}

/** A mailbox with its state and messages and, for admins, buttons to test, change and delete it. */
export function MailboxRow({ mailbox, workflow }: Props): ReactNode {
  const { id, username, folder, state, message } = mailbox
  const { muster } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <ManagedRow
      item={mailbox}
      noun="mailbox"
      about={`${username} · ${folder} · runs ${workflow}`}
      state={<TriedState item={mailbox} />}
      needs="administer"
      test={{ label: 'Test', run: () => muster.mailboxes.test(id) }}
      setActive={(active) => muster.mailboxes.update(id, { active })}
      remove={() => muster.mailboxes.delete(id)}
      removeWarning="Its emails stay on the mail server. The list of its messages here is deleted."
      refresh={useRefresh(['mailboxes'])}
      renderForm={(close) => <MailboxForm mailbox={mailbox} close={close} />}
    >
      {state === 'failing' && message !== null && (
        <p className="text-sm wrap-anywhere text-bad">{toLine(message, 500)}</p>
      )}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="text-sm font-medium text-ink-soft hover:underline">Messages</summary>
        {isOpen && <Messages mailboxId={id} />}
      </details>
    </ManagedRow>
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
  const { sender, subject, status, why } = message
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
      <StartedRunLink started={message} />
      <span className="text-ink-faint">
        <Ago at={message.created_at} />
      </span>
    </div>
  )
}
