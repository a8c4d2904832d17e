import type { ReactNode } from 'react'
import type { Mailbox } from '../../../sdk/generated.ts'
import { useChosenWorkflow } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'

/** Creates or changes a mailbox. Its password is never shown again. */
export function MailboxForm({
  mailbox,
  workflowId: given = '',
  close,
}: {
  mailbox?: Mailbox
  workflowId?: string | undefined
  close: () => void
}): ReactNode {
  const { muster } = useSession()
  const dialog = useDialogForm({
    draft: `mailbox.${mailbox?.id ?? `new${given}`}`,
    initial: {
      name: mailbox?.name ?? '',
      host: mailbox?.host ?? '',
      port: String(mailbox?.port ?? 993),
      secure: mailbox?.secure ?? 'tls',
      username: mailbox?.username ?? '',
      folder: mailbox?.folder ?? 'INBOX',
      workflow: mailbox?.workflow_id ?? given,
      senders: mailbox?.senders?.join('\n') ?? '',
      isAuthenticated: mailbox?.require_authenticated ?? false,
      subject: mailbox?.subject_contains ?? '',
    },
    unstored: { password: '' },
    errorsAt: 'any',
    refresh: useRefresh(['mailboxes']),
    saved: close,
  })
  const { form, field, check } = dialog
  const { workflowId, options } = useChosenWorkflow(form.workflow)
  const send = (): Promise<Mailbox> => {
    const senders = form.senders.split(/[\s,;]+/).filter((one) => one !== '')
    const { password } = form
    const body = {
      name: form.name.trim(),
      host: form.host.trim(),
      port: Number(form.port),
      secure: form.secure,
      require_authenticated: form.isAuthenticated,
      username: form.username.trim(),
      folder: form.folder.trim(),
      workflow_id: workflowId,
      senders: senders.length === 0 ? null : senders,
      subject_contains: form.subject.trim() === '' ? null : form.subject.trim(),
    }
    if (mailbox === undefined) return muster.mailboxes.create({ ...body, password })
    return muster.mailboxes.update(mailbox.id, { ...body, ...(password !== '' && { password }) })
  }
  const isNew = mailbox === undefined
  return (
    <FormModal
      help="mailboxes"
      title={isNew ? 'New mailbox' : 'Change mailbox'}
      description="Emails that arrive from now on start runs. They are marked, never deleted."
      dialog={dialog}
      close={close}
      action={isNew ? 'Create mailbox' : 'Save'}
      send={send}
      isReady={workflowId !== ''}
    >
      <TextField label="Name" required longest={100} {...field('name')} />
      <TextField label="IMAP server" hint="Such as imap.example.com" required {...field('host')} />
      <TextField
        label="Port"
        hint="Usually 993, or 143 with STARTTLS"
        inputMode="numeric"
        required
        {...field('port')}
      />
      <SelectField
        label="Encryption"
        {...field('secure')}
        options={[
          { value: 'tls', label: 'TLS' },
          { value: 'starttls', label: 'STARTTLS' },
          { value: 'none', label: 'None (only in allowed networks)' },
        ]}
      />
      <TextField label="User name" required autoComplete="off" {...field('username')} />
      <TextField
        label="Password"
        hint={isNew ? 'Often an app password' : 'Leave empty to keep the stored one.'}
        type="password"
        autoComplete="off"
        required={isNew}
        {...field('password')}
      />
      <TextField label="Folder" required {...field('folder')} />
      <SelectField
        label="Workflow"
        {...field('workflow', 'workflow_id')}
        value={workflowId}
        options={options}
      />
      <TextArea
        label="Senders (optional)"
        hint="Addresses, or domains such as @example.com, one a line. Empty: all."
        rows={2}
        {...field('senders')}
      />
      <CheckField
        label="Only authenticated senders"
        hint="Emails for which your mail server found dmarc=pass. Otherwise senders can be forged."
        {...check('isAuthenticated')}
      />
      <TextField label="Subject contains (optional)" {...field('subject', 'subject_contains')} />
    </FormModal>
  )
}
