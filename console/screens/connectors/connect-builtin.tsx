import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ConnectConnector, Connector } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { TextField } from '../../ui/form/field.tsx'
import { FormModal } from '../../ui/form/form-modal.tsx'

interface Credential {
  name: string
  label: string
  hint?: string
  isSecret?: boolean
  isNumber?: boolean
  isOptional?: boolean
}

/** What each built-in connector asks for. */
const credentials: Record<string, readonly Credential[]> = {
  email: [
    { name: 'host', label: 'SMTP server', hint: 'Such as smtp.example.com' },
    {
      name: 'port',
      label: 'Port',
      hint: '465 with TLS from the start; 587, 25 or 2525',
      isNumber: true,
    },
    { name: 'user', label: 'User name', isOptional: true },
    { name: 'pass', label: 'Password', isSecret: true, isOptional: true },
    { name: 'from', label: 'Sender', hint: 'Such as Ops <ops@example.com>' },
  ],
  hubspot: [
    { name: 'token', label: 'Access token', hint: 'Of a private app, pat-…', isSecret: true },
  ],
  slack: [
    {
      name: 'token',
      label: 'Bot token',
      hint: 'With the scope chat:write, xoxb-…',
      isSecret: true,
    },
  ],
  web: [{ name: 'search_key', label: 'Brave Search key', isSecret: true }],
}

/** Takes the credentials, in memory only, and sends them once. */
export function ConnectBuiltin({
  connector,
  close,
}: {
  connector: Connector
  close: () => void
}): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['connectors'])
  const { stored, settings = {} } = connector
  const [typed, setTyped] = useState<Record<string, string>>(() =>
    Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
  )
  const fields = credentials[connector.id] ?? []
  const connect = useMutation({
    mutationFn: () => {
      const body = Object.fromEntries(
        fields
          .filter(
            ({ name, isOptional, isSecret }) =>
              (typed[name] ?? '') !== '' || (isOptional !== true && !(stored && isSecret === true)),
          )
          .map(({ name, isNumber }) => [
            name,
            isNumber === true ? Number(typed[name]) : (typed[name] ?? ''),
          ]),
      )
      if (settings['secure'] !== undefined) body['secure'] = settings['secure'] as never
      return muster.connectors.connect(connector.id, body as unknown as ConnectConnector)
    },
    onSuccess: async () => {
      await refresh()
      close()
    },
  })
  const fault = faultOf(connect.error)
  return (
    <FormModal
      title={`Connect ${connector.label}`}
      description={
        stored
          ? 'Stored secrets stay where they are left empty and go to the same server.'
          : 'Secrets are encrypted and never shown again.'
      }
      close={close}
      action="Connect"
      sending={connect}
      error={connect.error}
    >
      {fields.map(
        ({ name, label, hint, isSecret = false, isNumber = false, isOptional = false }) => (
          <TextField
            key={name}
            label={isOptional ? `${label}, if needed` : label}
            hint={stored && isSecret ? 'Leave empty to keep the stored one.' : hint}
            type={isSecret ? 'password' : 'text'}
            autoComplete="off"
            inputMode={isNumber ? 'numeric' : undefined}
            required={!isOptional && !(stored && isSecret)}
            value={typed[name] ?? ''}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
            error={fault?.param === name ? fault.message : undefined}
          />
        ),
      )}
    </FormModal>
  )
}
