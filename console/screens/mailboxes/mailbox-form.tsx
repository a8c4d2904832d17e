import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Mailbox } from '../../../sdk/generated.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { CheckField, SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
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
  const refresh = useRefresh(['mailboxes'])
  const { data: workflows = [] } = useWorkflows()
  const draft = useFormDraft(`mailbox.${mailbox?.id ?? `new${given}`}`)
  const [typed, setTyped] = draft.state('typed', {
    name: mailbox?.name ?? '',
    host: mailbox?.host ?? '',
    port: String(mailbox?.port ?? 993),
    username: mailbox?.username ?? '',
    folder: mailbox?.folder ?? 'INBOX',
    senders: mailbox?.senders?.join('\n') ?? '',
    subject: mailbox?.subject_contains ?? '',
  })
  const [password, setPassword] = draft.unstored('password', '')
  const [secure, setSecure] = draft.state<Mailbox['secure']>('secure', mailbox?.secure ?? 'tls')
  const [isAuthenticated, setAuthenticated] = draft.state(
    'isAuthenticated',
    mailbox?.require_authenticated ?? false,
  )
  const [chosen, setWorkflow] = draft.state('chosen', mailbox?.workflow_id ?? given)
  const workflowId = chosen === '' ? (workflows[0]?.id ?? '') : chosen
  const save = useMutation({
    mutationFn: () => {
      const senders = typed.senders.split(/[\s,;]+/).filter((one) => one !== '')
      const body = {
        name: typed.name.trim(),
        host: typed.host.trim(),
        port: Number(typed.port),
        secure,
        require_authenticated: isAuthenticated,
        username: typed.username.trim(),
        folder: typed.folder.trim(),
        workflow_id: workflowId,
        senders: senders.length === 0 ? null : senders,
        subject_contains: typed.subject.trim() === '' ? null : typed.subject.trim(),
      }
      if (mailbox === undefined) return muster.mailboxes.create({ ...body, password })
      return muster.mailboxes.update(mailbox.id, { ...body, ...(password !== '' && { password }) })
    },
    onSuccess: async () => {
      await refresh()
      draft.discard()
      close()
    },
  })
  const fault = faultOf(save.error)
  const errorAt = (param: string) =>
    fault?.param?.startsWith(param) === true ? fault.message : undefined
  const field = (name: keyof typeof typed, param: string = name) => ({
    value: typed[name],
    onChange: (text: string) => setTyped({ ...typed, [name]: text }),
    error: errorAt(param),
  })
  const isNew = mailbox === undefined
  return (
    <FormModal
      help="mailboxes"
      title={isNew ? 'New mailbox' : 'Change mailbox'}
      description="Emails that arrive from now on start runs. They are marked, never deleted."
      draft={draft}
      close={close}
      action={isNew ? 'Create mailbox' : 'Save'}
      sending={save}
      error={save.error}
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
        value={secure}
        onChange={setSecure}
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
        value={password}
        onChange={setPassword}
        error={errorAt('password')}
      />
      <TextField label="Folder" required {...field('folder')} />
      <SelectField
        label="Workflow"
        value={workflowId}
        onChange={setWorkflow}
        options={workflows.map(({ id, name }) => ({ value: id, label: name }))}
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
        checked={isAuthenticated}
        onChange={setAuthenticated}
      />
      <TextField label="Subject contains (optional)" {...field('subject', 'subject_contains')} />
    </FormModal>
  )
}
