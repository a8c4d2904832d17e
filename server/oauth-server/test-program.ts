import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Answer, Person } from '../../test/api-client.ts'
import type { TestApp } from '../../test/test-app.ts'

/** For tests only: a program that asks a person for access, step by step. */
export interface Program {
  clientId: string
  redirectUri: string
  verifier: string
  /** The address for the person's browser; `changes` replaces parameters, and undefined drops them. */
  link: (changes?: Fields) => string
  /** The sealed request of the consent page that the browser is led to. */
  ask: (changes?: Fields) => Promise<string>
  /** Exchanges a code. */
  exchange: (code: string, changes?: Fields) => Promise<TokenResponse>
  refresh: (token: string, changes?: Fields) => Promise<TokenResponse>
}

export type Fields = Record<string, string | undefined>
export interface TokenResponse {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  body: any
}

export const testRedirect = 'https://program.example/callback'

export async function register(app: TestApp, metadata: object = {}): Promise<TokenResponse> {
  const response = await fetch(`${app.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Test program',
      redirect_uris: [testRedirect],
      ...metadata,
    }),
  })
  return { status: response.status, body: await response.json() }
}

export async function startProgram(app: TestApp, metadata: object = {}): Promise<Program> {
  const { status, body } = await register(app, metadata)
  assert.equal(status, 201, JSON.stringify(body))
  const clientId: string = body.client_id
  const redirectUri: string = body.redirect_uris[0]
  const verifier = randomBytes(32).toString('base64url')
  const link: Program['link'] = (changes = {}) => {
    const url = new URL('/oauth/authorize', app.url)
    const fields: Fields = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'the state',
      ...changes,
    }
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    return url.href
  }
  return {
    clientId,
    redirectUri,
    verifier,
    link,
    ask: async (changes) => {
      const response = await fetch(link(changes), { redirect: 'manual' })
      assert.equal(response.status, 303, await response.text())
      const page = new URL(response.headers.get('location') ?? '', app.url)
      assert.equal(page.origin + page.pathname, `${app.url}/authorize`)
      return page.searchParams.get('request') ?? ''
    },
    exchange: (code, changes) =>
      sendForm(app, '/oauth/token', {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...changes,
      }),
    refresh: (token, changes) =>
      sendForm(app, '/oauth/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: token,
        ...changes,
      }),
  }
}

export async function sendForm(
  app: TestApp,
  path: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<TokenResponse> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) body.set(name, value)
  }
  const response = await fetch(app.url + path, { method: 'POST', body, headers })
  return { status: response.status, body: await response.json() }
}

/** The person allows what the consent page shows. */
export function allow(app: TestApp, person: Person, request: string): Promise<Answer> {
  return person.call('POST', '/v1/me/grants', { request, account_id: app.accountId })
}

/** The address that the browser goes on to when the person allows a request. */
export async function consent(
  app: TestApp,
  person: Person,
  program: Program,
  changes?: Fields,
): Promise<URL> {
  const answer = await allow(app, person, await program.ask(changes))
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return new URL(answer.body.data.redirect_url)
}

export async function codeFor(
  app: TestApp,
  person: Person,
  program: Program,
  changes?: Fields,
): Promise<string> {
  const code = (await consent(app, person, program, changes)).searchParams.get('code')
  assert.ok(code !== null)
  return code
}

/** The tokens of a new grant. */
export async function grantAccess(
  app: TestApp,
  person: Person,
  program: Program,
  changes?: Fields,
): Promise<{ access_token: string; refresh_token: string; scope: string }> {
  const { status, body } = await program.exchange(await codeFor(app, person, program, changes))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
