import { MailOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMailboxes } from '../../data/channels.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { useSession } from '../../session/session.tsx'
import { OpenNew } from '../../ui/form/open-new.tsx'
import { WayBack } from '../../ui/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { MailboxForm } from './mailbox-form.tsx'
import { MailboxRow } from './mailbox-row.tsx'

/** IMAP folders whose new messages start runs. */
export function MailboxesScreen(): ReactNode {
  const { rights } = useSession()
  const query = useMailboxes()
  const nameOf = useWorkflowNames(query.data ?? [])
  return (
    <ResourceList
      title="Mailboxes"
      above={<WayBack to="/connections" label="Connections" />}
      about="Each new email starts a run, with its attachments as files."
      actions={
        rights.administer && (
          <OpenNew label="New mailbox">
            {(close, workflowId) => <MailboxForm workflowId={workflowId} close={close} />}
          </OpenNew>
        )
      }
      query={query}
      empty={{
        icon: MailOpen,
        title: 'No mailboxes yet',
        help: 'mailboxes',
        text: rights.administer
          ? 'Connect one by IMAP, and each new email starts a workflow.'
          : 'Ask an admin to connect one.',
      }}
    >
      {(mailbox) => <MailboxRow mailbox={mailbox} workflow={nameOf(mailbox.workflow_id)} />}
    </ResourceList>
  )
}
