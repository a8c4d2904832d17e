import type { Context, Services } from '../context.ts'
import { showState } from '../db/connection-state.ts'
import { readPolicies } from '../policies/read.ts'
import { isSensitive } from '../policies/rules.ts'
import { builtInConnectors, connectable } from './built-ins.ts'
import type { BuiltInConnector } from '../tools/connector.ts'
import type { Connector } from './schema.ts'
import { versionOfTool } from '../tools/contract.ts'
import { listLoggedIn } from './oauth/login-store.ts'
import { showHttp } from './http/show.ts'
import { isHttpRow } from './http/row.ts'
import { isOwn, listStored, type McpRow, type StoredConnector } from './store.ts'
import { showSettings } from './kept-settings.ts'
import { versionOf, whyRefused, whyUnavailable } from './open-tools.ts'

/** Built-in connectors, then the account's own, which are MCP servers and HTTP APIs, by id. */
export async function listConnectors(ctx: Context): Promise<Connector[]> {
  const stored = await listStored(ctx.reads, ctx.accountId)
  const logins = await listOwnLogins(ctx)
  const byId = new Map(stored.map((one) => [one.id, one]))
  const own = stored.filter(isOwn)
  return withPolicies(ctx, [
    ...builtInConnectors
      .filter(({ id }) => !own.some((one) => one.id === id))
      .map((builtIn) => showBuiltIn(ctx, ctx.accountId, builtIn, byId.get(builtIn.id))),
    ...own.flatMap((row) => {
      if (isHttpRow(row)) return showHttp(row)
      return row.kind === 'mcp' ? showMcp(ctx, row, logins?.has(row.id)) : []
    }),
  ])
}

/** The servers at which the asking person is logged in; undefined for a key, which has no login of its own. */
export async function listOwnLogins({
  reads,
  accountId,
  actor,
}: Pick<Context, 'reads' | 'accountId' | 'actor'>): Promise<Set<string> | undefined> {
  return actor.type === 'user' ? listLoggedIn(reads, accountId, actor.id) : undefined
}

/**
 * Applies the account's policies: actions that they name are sensitive, whatever the connector
 * says.
 */
export async function withPolicies(ctx: Context, connectors: Connector[]): Promise<Connector[]> {
  const policies = await readPolicies(ctx.reads, ctx.accountId)
  return connectors.map((connector) => ({
    ...connector,
    actions: connector.actions.map((action) => ({
      ...action,
      sensitive: isSensitive(policies, action.id, action),
    })),
  }))
}

export function showBuiltIn(
  services: Services,
  accountId: string,
  builtIn: BuiltInConnector,
  stored: StoredConnector | undefined,
): Connector {
  const actions = builtIn.actions.map((action) => ({
    id: action.id,
    description: action.description,
    input_schema: action.inputSchema,
    sensitive: action.sensitive,
    version: versionOf(services, builtIn, action, stored),
    unavailable: whyUnavailable(services, builtIn, action, stored !== undefined) ?? null,
  }))
  const settings = showSettings(services, accountId, builtIn, stored)
  return {
    id: builtIn.id,
    label: builtIn.label,
    kind: 'builtin',
    connected: actions.some(({ unavailable }) => unavailable === null),
    stored: stored !== undefined,
    ...showState(stored),
    actions,
    ...(connectable.includes(builtIn) && { credentials_schema: schemaOf(builtIn) }),
    ...(settings && { settings }),
  }
}

/** The schema of a connector's credentials, with the form's labels as titles. */
function schemaOf({ credentials, labels = {} }: BuiltInConnector): object {
  const properties = Object.entries(credentials.properties).map(([name, field]) => [
    name,
    { title: labels[name] ?? name, ...field },
  ])
  return { ...credentials, properties: Object.fromEntries(properties) }
}

/** `isLoggedIn`: the asking person is, or undefined for a key. */
export function showMcp(
  { publicUrl }: Pick<Services, 'publicUrl'>,
  row: McpRow,
  isLoggedIn: boolean | undefined,
): Connector {
  const needsLogin =
    row.credentials === 'person' && isLoggedIn !== undefined ? !isLoggedIn : row.needs_login
  const shown = showState(row)
  const isFirst = needsLogin && row.failing_since === null
  return {
    id: row.id,
    label: row.id,
    kind: 'mcp',
    connected: true,
    stored: true,
    ...shown,
    ...(row.oauth !== null && needsLogin && { state: 'needs_login' as const }),
    ...(row.oauth !== null && isFirst && { message: needsLoginWords(row) }),
    actions: row.tools
      .filter(({ unpicked }) => unpicked !== true)
      .map((tool) => ({
        id: `${row.id}.${tool.name}`,
        description: tool.description,
        input_schema: tool.input_schema,
        sensitive: !row.safe_tools.includes(tool.name),
        version: versionOfTool(tool.hash, row.version),
        unavailable: whyRefused(row, tool, publicUrl) ?? null,
      })),
    url: row.url,
    header_names: row.header_names,
    safe_tools: row.safe_tools,
    ...(row.picked !== null && {
      tools: row.picked,
      other_tools: row.tools
        .filter(({ unpicked }) => unpicked === true)
        .map(({ name, description }) => ({ name, description })),
    }),
    changed_tools: row.changed_tools,
    ...(row.oauth !== null && { credentials: row.credentials ?? 'account' }),
  }
}

function needsLoginWords({ credentials }: McpRow): string {
  return credentials === 'person' ? 'Each person logs in' : 'An admin must log in'
}
