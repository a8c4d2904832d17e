import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { closeServer, listenOnLoopback } from './loopback.ts'
import { startTestMcpServer, type TestMcpServer } from './mcp-server.ts'
import { visit } from './oidc-provider.ts'

/**
 * For tests only: an MCP server that demands a login by OAuth, with a real authorization server beside it. Every visitor
 * is signed in as `subject`, which may change between logins, and consents to everything.
 */
export interface LoginServer extends AsyncDisposable {
  mcp: TestMcpServer
  issuer: string
  subject: string
  /** Life of the access tokens that are issued from now on. */
  tokenSeconds: number
  hasRefreshTokens: boolean
  /** Refuses accepted tokens with this status and challenge. */
  refusal: [status: number, challenge: string] | undefined
  /** Subjects of the refreshes, in order. */
  refreshes: string[]
  /** The subject and the bearer of each request that the MCP server accepted. */
  accepted: { subject: string; bearer: string; method: string | undefined }[]
  /** Ends everything that was granted to a subject. */
  revoke: (subject: string) => Promise<void>
  /** Follows a browser from an authorization address to the callback, which it returns without visiting it. */
  visit: (authorizeUrl: string) => Promise<string>
  /** Answers each request of the login, before the authorization server sees it; true if it has. */
  interceptLogin: (path: string) => { status: number; body: string } | undefined
}

export async function startLoginServer(
  callback: string,
  { clients = [] }: { clients?: { client_id: string; client_secret: string }[] } = {},
): Promise<LoginServer> {
  const mcp = await startTestMcpServer()
  mcp.url = mcp.url.replace('mcp.test', '127.0.0.1')
  const server = createServer()
  const port = await listenOnLoopback(server)
  const issuer = `http://127.0.0.1:${port}`
  const tokens = new Map<string, { subject: string; endsAt: number }>()
  const grants = new Map<string, Set<string>>()
  const provider = new Provider(issuer, {
    clients: clients.map((client) => ({
      ...client,
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
    })),
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'] },
    findAccount: async (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub }),
    }),
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: clients.length === 0 },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_ctx: unknown, resource: string) => ({
          scope: 'notes',
          audience: resource,
          accessTokenTTL: started.tokenSeconds,
          accessTokenFormat: 'opaque' as const,
        }),
        useGrantedResource: async () => true,
      },
    },
    issueRefreshToken: async () => started.hasRefreshTokens,
    rotateRefreshToken: true,
    cookies: { keys: ['a key of the test'] },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, RefreshToken: 600 },
  })
  provider.on('access_token.saved', ({ jti, accountId, exp, grantId }) => {
    tokens.set(jti, { subject: accountId, endsAt: Number(exp) * 1_000 })
    grants.getOrInsert(accountId, new Set()).add(grantId)
  })
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.['grant_type'] === 'refresh_token') {
      started.refreshes.push(String(oidc.entities.RefreshToken?.accountId))
    }
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    const answer = started.interceptLogin(request.url ?? '')
    if (answer !== undefined) {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
      return
    }
    if (request.url?.startsWith('/interaction/') !== true) return void handle(request, response)
    void (async () => {
      const { params } = await provider.interactionDetails(request, response)
      const grant = new provider.Grant({
        accountId: started.subject,
        clientId: String(params['client_id']),
      })
      grant.addOIDCScope('openid offline_access')
      grant.addResourceScope(String(params['resource']), 'notes')
      await provider.interactionFinished(request, response, {
        login: { accountId: started.subject },
        consent: { grantId: await grant.save() },
      })
    })()
  })

  mcp.intercept = (request, response) => {
    const { origin, pathname } = new URL(mcp.url)
    if (request.url === `/.well-known/oauth-protected-resource${pathname}`) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const scopes = ['notes', 'offline_access']
      const metadata = {
        resource: mcp.url,
        authorization_servers: [issuer],
        scopes_supported: scopes,
      }
      response.end(JSON.stringify(metadata))
      return true
    }
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const token = tokens.get(bearer)
    if (token === undefined || token.endsAt <= Date.now()) {
      const metadata = `${origin}/.well-known/oauth-protected-resource${pathname}`
      response
        .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` })
        .end()
      return true
    }
    if (started.refusal !== undefined) {
      const [status, challenge] = started.refusal
      response.writeHead(status, { 'www-authenticate': challenge }).end()
      return true
    }
    started.accepted.push({ subject: token.subject, bearer, method: request.method })
    return false
  }

  const started: LoginServer = {
    mcp,
    issuer,
    subject: 'ada',
    tokenSeconds: 600,
    hasRefreshTokens: true,
    refusal: undefined,
    refreshes: [],
    accepted: [],
    interceptLogin: () => undefined,
    revoke: async (subject) => {
      for (const grantId of grants.get(subject) ?? []) {
        await provider.RefreshToken.revokeByGrantId(grantId)
        await provider.AccessToken.revokeByGrantId(grantId)
      }
      for (const [bearer, token] of tokens) if (token.subject === subject) tokens.delete(bearer)
    },
    visit: (url) => visit(url, callback),
    async [Symbol.asyncDispose]() {
      await mcp[Symbol.asyncDispose]()
      await closeServer(server)
    },
  }
  return started
}
