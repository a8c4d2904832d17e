import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { closeServer, listenOnLoopback } from './loopback.ts'

/**
 * An OpenID Connect provider with scripted responses, for what a correct one never does: forged
 * tokens, changing algorithms, errors. Real HTTP, real keys.
 */
export interface ScriptedOidc extends AsyncDisposable {
  issuer: string
  /** Overrides of the metadata. */
  metadata: Record<string, unknown>
  /** Claims in addition to issuer, audience, subject, nonce and times. */
  claims: JWTPayload
  userinfo: Record<string, unknown> | undefined
  algorithm: 'RS256' | 'ES256'
  /** Signs with a key that is not published. */
  isForged: boolean
  /** Responses instead of the provider's, by path. */
  answers: Record<string, (response: ServerResponse) => void>
  /** Received requests: path and Authorization. */
  asked: { path: string; authorization: string | undefined; body: string }[]
  /** Signs claims as the provider. */
  sign: (claims: JWTPayload, header?: object) => Promise<string>
  /** The query string with which a browser returns from an authorization address. */
  confirm: (authorizationUrl: string) => string
}

const kid = 'the-key'

export async function startScriptedOidc(path = ''): Promise<ScriptedOidc> {
  const server = createServer()
  const origin = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const pairs = {
    RS256: await generateKeyPair('RS256'),
    ES256: await generateKeyPair('ES256'),
    forged: { RS256: await generateKeyPair('RS256'), ES256: await generateKeyPair('ES256') },
  }
  const nonces = new Map<string, string>()
  const issuer = origin + path
  const scripted: ScriptedOidc = {
    issuer,
    metadata: {},
    claims: { email: 'ada@example.com', email_verified: true, name: 'Ada' },
    userinfo: undefined,
    algorithm: 'RS256',
    isForged: false,
    answers: {},
    asked: [],
    sign: (claims, header = {}) => {
      const { algorithm: alg, isForged } = scripted
      const { privateKey } = isForged ? pairs.forged[alg] : pairs[alg]
      const signed = new SignJWT({ iss: issuer, aud: 'muster', sub: 'subject-1', ...claims })
      return signed
        .setProtectedHeader({ alg, kid, ...header })
        .setIssuedAt(claims.iat)
        .setExpirationTime('5m')
        .sign(privateKey)
    },
    confirm: (url) => {
      const { searchParams } = new URL(url)
      const code = `code-${nonces.size}`
      nonces.set(code, searchParams.get('nonce') ?? '')
      return `?code=${code}&state=${searchParams.get('state') ?? ''}`
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
  const answer = async (request: IncomingMessage): Promise<object | undefined> => {
    const asked = new URL(request.url ?? '', origin).pathname
    const body = await Array.fromAsync(request)
    const text = Buffer.concat(body).toString()
    scripted.asked.push({ path: asked, authorization: request.headers.authorization, body: text })
    switch (asked) {
      case `${path.replace(/\/$/, '')}/.well-known/openid-configuration`:
        return {
          issuer,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          userinfo_endpoint: `${origin}/userinfo`,
          jwks_uri: `${origin}/keys`,
          id_token_signing_alg_values_supported: [scripted.algorithm],
          ...scripted.metadata,
        }
      case '/keys': {
        const { algorithm: alg } = scripted
        return { keys: [{ ...(await exportJWK(pairs[alg].publicKey)), alg, kid, use: 'sig' }] }
      }
      case '/token': {
        const nonce = nonces.get(new URLSearchParams(text).get('code') ?? '')
        const token = await scripted.sign({ ...scripted.claims, nonce })
        return { access_token: 'an access token', token_type: 'Bearer', id_token: token }
      }
      case '/userinfo':
        return scripted.userinfo
      default:
        return undefined
    }
  }
  server.on('request', (request, response) => {
    void (async () => {
      const found = await answer(request)
      const override = scripted.answers[scripted.asked.at(-1)?.path ?? '']
      if (override !== undefined) override(response)
      else {
        response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(found ?? { error: 'not_found' }))
      }
    })()
  })
  return scripted
}
