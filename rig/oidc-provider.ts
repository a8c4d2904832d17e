import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { closeServer, listenOnLoopback } from './loopback.ts'

/**
 * A real OpenID Connect provider on loopback, a certified implementation. Every visitor is signed
 * in as `user`, who may change between sign-ins, and consents to everything.
 */
export interface OidcTestProvider extends AsyncDisposable {
  issuer: string
  clientId: string
  clientSecret: string
  user: { sub: string; email?: string; email_verified?: boolean; name?: string }
  /**
   * Follows a browser from an authorization address to the callback, which it returns without
   * visiting it.
   */
  visit: (authorizationUrl: string) => Promise<string>
}

export async function startOidcProvider(
  redirectUri: string,
  {
    conformIdTokenClaims = false,
    path = '',
    clientAuth = 'client_secret_basic',
  }: {
    conformIdTokenClaims?: boolean
    /** Path of the issuer; it may end with a slash. */
    path?: string
    /** The only method that it accepts and announces. */
    clientAuth?: 'client_secret_basic' | 'client_secret_post'
  } = {},
): Promise<OidcTestProvider> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  const issuer = `http://127.0.0.1:${port}${path}`
  const mount = path.replace(/\/$/, '')
  const clientId = 'muster'
  const clientSecret = 'a-secret-of-the-test-client-that-is-long'
  const started: OidcTestProvider = {
    issuer,
    clientId,
    clientSecret,
    user: { sub: 'subject-1', email: 'ada@example.com', email_verified: true, name: 'Ada' },
    visit: (url) => visit(url, redirectUri),
    [Symbol.asyncDispose]: () => closeServer(server),
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: clientAuth,
      },
    ],
    clientAuthMethods: [clientAuth],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims,
    findAccount: async (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ ...started.user }),
    }),
    interactions: {
      url: (_ctx: unknown, { uid }: { uid: string }) => `${mount}/interaction/${uid}`,
    },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key of the test'] },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    // Because it is mounted, the provider reads the whole address from `originalUrl`.
    Object.assign(request, { originalUrl: request.url })
    request.url = request.url?.slice(mount.length) ?? ''
    if (!request.url.startsWith('/interaction/')) {
      void handle(request, response)
      return
    }
    void (async () => {
      const { params } = await provider.interactionDetails(request, response)
      const grant = new provider.Grant({
        accountId: started.user.sub,
        clientId: String(params['client_id']),
      })
      grant.addOIDCScope('openid email profile')
      const result = {
        login: { accountId: started.user.sub },
        consent: { grantId: await grant.save() },
      }
      await provider.interactionFinished(request, response, result)
    })()
  })
  return started
}

/** Follows a browser to the callback, which it returns without visiting it. */
export async function visit(url: string, callback: string): Promise<string> {
  const cookies = new Map<string, string>()
  for (let steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] as string).split(/=(.*)/s)
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`No redirect from ${url}: ${await response.text()}`)
    url = new URL(location, url).href
    if (url.startsWith(callback)) return url
  }
  throw new Error('The provider redirects without end')
}
