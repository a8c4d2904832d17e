import { hideSecrets } from '../secret.ts'

/** The sealed part of an HTTP connector: where its calls go, and how they log in. */
export interface HttpConnection {
  base_url: string
  auth: Auth
  headers: Record<string, string>
  /** OpenAPI: where the document is read again; it may hold a token. */
  document_url?: string
}

export type Auth =
  | { type: 'none' }
  | { type: 'bearer'; token: string }
  | { type: 'basic'; username: string; password: string }
  | { type: 'header'; name: string; value: string }
  | { type: 'query'; name: string; value: string }
  | {
      type: 'oauth2'
      token_url: string
      client_id: string
      client_secret: string
      scopes?: string[]
      audience?: string
    }

/** The fields of each login, and which of them are secret. */
export const authFields = {
  none: { required: [], optional: [], secret: [] },
  bearer: { required: ['token'], optional: [], secret: ['token'] },
  basic: { required: ['username', 'password'], optional: [], secret: ['password'] },
  header: { required: ['name', 'value'], optional: [], secret: ['value'] },
  query: { required: ['name', 'value'], optional: [], secret: ['value'] },
  oauth2: {
    required: ['token_url', 'client_id', 'client_secret'],
    optional: ['scopes', 'audience'],
    secret: ['client_secret'],
  },
} as const satisfies Record<Auth['type'], Record<'required' | 'optional' | 'secret', string[]>>

/** A login without its secrets. */
export function showAuth(auth: Auth): Record<string, unknown> {
  const secret: readonly string[] = authFields[auth.type].secret
  return Object.fromEntries(Object.entries(auth).filter(([name]) => !secret.includes(name)))
}

export interface Login {
  headers: Record<string, string>
  query: [name: string, value: string][]
}

/** What a login adds to each request; `token` is the one of OAuth. */
export function loginOf({ auth, headers }: HttpConnection, token?: string): Login {
  const add = (name: string, value: string): Login => ({
    // A header that the admin gave by hand does not win over the login.
    headers: { ...withoutName(headers, name), [name]: value },
    query: [],
  })
  switch (auth.type) {
    case 'none':
      return { headers, query: [] }
    case 'bearer':
      return add('authorization', `Bearer ${auth.token}`)
    case 'basic':
      return add('authorization', `Basic ${basicOf(auth.username, auth.password)}`)
    case 'header':
      return add(auth.name.toLowerCase(), auth.value)
    case 'query':
      return { headers, query: [[auth.name, auth.value]] }
    case 'oauth2':
      return token === undefined ? { headers, query: [] } : add('authorization', `Bearer ${token}`)
  }
}

export function basicOf(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`).toString('base64')
}

function withoutName(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([own]) => own.toLowerCase() !== name))
}

/**
 * Removes a connection's secrets from a text that came from its server, also where they are
 * encoded as in JSON, in an address or in a basic login.
 */
export function hideConnection(
  text: string,
  { auth, headers, document_url: documentUrl }: HttpConnection,
  tokens: readonly string[] = [],
): string {
  const secrets = [...Object.values(headers), ...tokens, ...secretsOfAuth(auth)]
  const inAddress = documentUrl === undefined ? [] : [...new URL(documentUrl).searchParams.values()]
  const forms = [...secrets, ...inAddress]
    .flatMap((secret) => [secret, secret.split(' ').at(-1) ?? secret])
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.toWellFormed()),
      Buffer.from(secret).toString('base64'),
    ])
    // The longest first, because one may be a part of another.
    .toSorted((a, b) => b.length - a.length)
  return hideSecrets(text, Object.fromEntries(forms.map((form, index) => [index, form])))
}

function secretsOfAuth(auth: Auth): string[] {
  switch (auth.type) {
    case 'none':
      return []
    case 'bearer':
      return [auth.token]
    case 'basic':
      return [auth.password, basicOf(auth.username, auth.password)]
    case 'header':
    case 'query':
      return [auth.value]
    case 'oauth2':
      return [auth.client_secret, basicOf(auth.client_id, auth.client_secret)]
  }
}
