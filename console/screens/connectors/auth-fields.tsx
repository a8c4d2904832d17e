import type { ReactNode } from 'react'
import type { ConnectHttp, Connector } from '../../../sdk/generated.ts'
import { SelectField, TextField } from '../../ui/form/field.tsx'

type Auth = NonNullable<ConnectHttp['auth']>
export type AuthKind = 'keep' | Auth['type']
export type AuthTexts = Record<string, string>

const kinds = {
  none: 'No login',
  bearer: 'Bearer token',
  basic: 'User name and password',
  header: 'Key in a header',
  query: 'Key in the query',
  oauth2: 'OAuth 2.0 client credentials',
} as const satisfies Record<Auth['type'], string>

interface AuthField {
  name: string
  label: string
  isSecret?: true
  isOptional?: true
  hint?: string
}

const fields: Record<Auth['type'], AuthField[]> = {
  none: [],
  bearer: [{ name: 'token', label: 'Token', isSecret: true }],
  basic: [
    { name: 'username', label: 'User name' },
    { name: 'password', label: 'Password', isSecret: true },
  ],
  header: [
    { name: 'name', label: 'Name of the header' },
    { name: 'value', label: 'Key', isSecret: true },
  ],
  query: [
    { name: 'name', label: 'Name of the parameter' },
    { name: 'value', label: 'Key', isSecret: true },
  ],
  oauth2: [
    { name: 'token_url', label: 'Token address' },
    { name: 'client_id', label: 'Client id' },
    { name: 'client_secret', label: 'Client secret', isSecret: true },
    { name: 'scopes', label: 'Scopes', isOptional: true, hint: 'Separated by spaces.' },
    { name: 'audience', label: 'Audience', isOptional: true },
  ],
}

/** The login as a request has it; left out if the stored one is kept. */
export function toAuth(kind: AuthKind, texts: AuthTexts): { auth?: Auth } {
  if (kind === 'keep') return {}
  const given = fields[kind].flatMap(({ name }) => {
    const text = texts[name] ?? ''
    if (text === '') return []
    return [[name, name === 'scopes' ? text.split(/\s+/).filter(Boolean) : text] as const]
  })
  return { auth: { type: kind, ...Object.fromEntries(given) } }
}

interface Props {
  connector: Connector | undefined
  kind: AuthKind
  texts: AuthTexts
  set: (part: { kind?: AuthKind; texts?: AuthTexts }) => void
  fault: { param?: string | undefined; message: string } | undefined
}

/** How calls of an HTTP API log in; secrets are sent once and never shown. */
export function AuthFields({ connector, kind, texts, set, fault }: Props): ReactNode {
  const stored = connector?.auth?.type as Auth['type'] | undefined
  const kept =
    stored === undefined ? [] : [{ value: 'keep' as const, label: `Keep: ${kinds[stored]}` }]
  const others = Object.entries(kinds).map(([value, label]) => ({
    value: value as AuthKind,
    label,
  }))
  return (
    <>
      <SelectField<AuthKind>
        label="Login"
        hint={
          kind === 'keep' ? 'Kept while the host of the base address stays the same.' : undefined
        }
        value={kind}
        onChange={(kind) => set({ kind })}
        options={[...kept, ...others]}
      />
      {kind !== 'keep' &&
        fields[kind].map(({ name, label, isSecret, isOptional = false, hint }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            isOptional={isOptional}
            required={!isOptional}
            type={isSecret === true ? 'password' : 'text'}
            autoComplete="off"
            value={texts[name] ?? ''}
            onChange={(text) => set({ texts: { ...texts, [name]: text } })}
            error={fault?.param === `auth.${name}` ? fault.message : undefined}
          />
        ))}
    </>
  )
}
