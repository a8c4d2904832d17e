import { callMcpTool, listMcpTools, McpError } from '../../server/connectors/mcp/client.ts'
import type { LoginRefusal } from '../../server/connectors/mcp/refusals.ts'
import { McpSessions } from '../../server/connectors/mcp/sessions.ts'
import { chooseClient, type OAuthClient } from '../../server/connectors/oauth/choose-client.ts'
import { discoverAuthority, joinScopes } from '../../server/connectors/oauth/discover.ts'
import {
  beginLogin,
  finishLogin,
  refreshTokens,
  type Party,
  type Tokens,
} from '../../server/connectors/oauth/login-flow.ts'
import { createOAuthFetch } from '../../server/connectors/oauth/oauth-fetch.ts'
import { parseAllowedNetworks } from '../../server/outbound/address.ts'
import { createOutbound } from '../../server/outbound/outbound.ts'
import { testSandbox } from '../../server/sandbox/test-sandbox.ts'
import { testLimits } from '../../server/start/test-limits.ts'

/**
 * Muster's MCP client as the client under test of `@modelcontextprotocol/conformance`: lists the tools of the server and
 * calls each, and logs in where the server demands it. Everything but the storage is what the service uses. Exits with 1
 * where the service would say why it cannot use the server.
 */
const url = process.argv.at(-1) ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string
  client_secret?: string
  /** Calls that a scenario asks for. */
  toolCalls?: { name: string; arguments: Record<string, unknown> }[]
}
const redirectUri = 'http://localhost:3000/oauth/callback'
const documentUrl = 'https://conformance-test.local/client-metadata.json'
const mostLogins = 3

const outbound = createOutbound({ allowedNetworks: parseAllowedNetworks('127.0.0.0/8,::1/128') })
const limits = testLimits()
const services = { outbound, sandbox: testSandbox(), limits }
const sessions = new McpSessions(services)
const fetchLogin = createOAuthFetch(outbound, 'acc_test')

let demand: { scope?: string | undefined; resource_metadata_url?: string | undefined } = {}
let known: OAuthClient | undefined
let login: { party: Party; tokens: Tokens } | undefined
let logins = 0

async function logIn({ status, scope, resourceMetadataUrl }: LoginRefusal): Promise<void> {
  if (status === 401 && login?.tokens.refresh_token !== undefined) {
    const { party, tokens } = login
    login = { party, tokens: await refreshTokens(fetchLogin, party, tokens.refresh_token ?? '') }
    return
  }
  if (++logins > mostLogins) throw new Error('too many logins')
  demand = {
    scope: joinScopes(demand.scope, scope),
    resource_metadata_url: resourceMetadataUrl ?? demand.resource_metadata_url,
  }
  const authority = await discoverAuthority(fetchLogin, url, demand)
  const { client_id: id, client_secret: secret } = context
  const given = id === undefined ? undefined : { id, secret }
  known = await chooseClient(fetchLogin, authority, { given, known, redirectUri, documentUrl })
  const party = { authority, client: known }
  let verifier = ''
  const page = await beginLogin(outbound, party, (made) => {
    verifier = made
    return 'state-of-the-test'
  })
  // The authorization servers of the suite redirect at once.
  const { headers } = await fetch(page, { redirect: 'manual' })
  const callback = new URL(headers.get('location') ?? '', page)
  if (callback.searchParams.get('state') !== 'state-of-the-test') throw new Error('another state')
  login = { party, tokens: await finishLogin(fetchLogin, party, callback.searchParams, verifier) }
}

const serverNow = () => ({
  url,
  headers: {},
  accountId: 'acc_test',
  bearer: login?.tokens.access_token,
})

async function listed() {
  for (;;) {
    try {
      return await listMcpTools(services, serverNow())
    } catch (error) {
      if (!(error instanceof McpError) || error.refusal === undefined) throw error
      await logIn(error.refusal)
    }
  }
}

const all = await listed()
const offered = all.filter(({ refused }) => refused === undefined)
const {
  toolCalls = offered.map(({ name, input_schema: schema }) => ({
    name,
    arguments: exampleOf(schema),
  })),
} = context
for (const { name, arguments: input } of toolCalls) {
  const tool = offered.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`the server has no ${name}`)
  for (;;) {
    const options = { idempotencyKey: `call_${tool.name}`, signal: AbortSignal.timeout(20_000) }
    const { result, refusal } = await callMcpTool(sessions, serverNow(), tool, input, options, {
      accountId: 'acc_test',
      runId: 'run_test',
      attempt: 1,
      callId: options.idempotencyKey,
      connectorId: 'test',
      version: '1',
      hasOtherCalls: async () => false,
    })
    console.log(tool.name, result.status, result.output.slice(0, 300))
    if (refusal === undefined) break
    await logIn(refusal)
  }
}
await sessions[Symbol.asyncDispose]()
await outbound[Symbol.asyncDispose]()
process.exit(0)

/** Arguments for a tool: one value of each property's type; `schema` is that of the first tool, to be compared. */
function exampleOf(schema: object): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const values: Record<string, unknown> = {
    number: 5,
    integer: 5,
    boolean: true,
    array: [],
    object: {},
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [
      name,
      name === 'schema' ? all[0]?.input_schema : (values[String(type)] ?? 'text'),
    ]),
  )
}
