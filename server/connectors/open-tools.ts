import type { Services } from '../context.ts'
import { noteUse } from '../db/connection-state.ts'
import { logFailure } from '../db/outage.ts'
import { readPolicies } from '../policies/read.ts'
import { findBuiltInConnector, secretsOf } from './built-ins.ts'
import type { BuiltInConnector, BuiltInAction, Credentials } from '../tools/connector.ts'
import {
  type CallingRun,
  type Tool,
  type ToolCallOptions,
  type ToolResult,
  versionOfTool,
} from '../tools/contract.ts'
import { callMcpTool, changedWords } from './mcp/client.ts'
import { hasAuthorization } from './mcp/refusals.ts'
import { answerRefusal, findBearer, loginPage, loseLogin } from './oauth/logins.ts'
import type { PinnedTool } from './mcp/pins.ts'
import type { SessionOwner } from './mcp/sessions.ts'
import { hideSecrets, serverSecrets, openSecret, openServer } from './secret.ts'
import { openHttpTool } from './http/open-tool.ts'
import { isHttpRow } from './http/row.ts'
import { testBuiltIn } from './try-connector.ts'
import {
  findForCapabilities,
  isOwn,
  noteChangedTool,
  type McpRow,
  type StoredConnector,
} from './store.ts'

/**
 * An account's tools for these capabilities, in order. A built-in that is not connected is included
 * with `unavailable` set; tools that no longer exist are left out. Secrets are decrypted when a
 * tool is called.
 */
export async function openTools(
  services: Services,
  accountId: string,
  capabilities: string[],
): Promise<Tool[]> {
  if (capabilities.length === 0) return []
  const parts = capabilities.map(splitCapability)
  const stored = await findForCapabilities(
    services.database,
    accountId,
    [...new Set(parts.map(({ connector }) => connector))],
    parts.map(({ action }) => action),
  )
  const byId = new Map(stored.map((connector) => [connector.id, connector]))
  return parts.flatMap(({ connector: id, action: name }) => {
    const connector = byId.get(id)
    const builtIn = isOwn(connector) ? undefined : findBuiltInConnector(id)
    const action = builtIn?.actions.find((candidate) => candidate.id === `${id}.${name}`)
    if (builtIn !== undefined && action !== undefined) {
      return openBuiltIn(services, accountId, builtIn, action, connector)
    }
    if (isHttpRow(connector)) {
      const tool = connector.tools.find((candidate) => candidate.name === name)
      return tool === undefined ? [] : openHttpTool(services, accountId, connector, tool)
    }
    if (connector?.kind !== 'mcp') return []
    const tool = connector.tools.find((candidate) => candidate.name === name)
    return tool === undefined ? [] : openMcpTool(services, accountId, connector, tool)
  })
}

/** Splits at the first dot: `email.send` is the action `send` of `email`. */
export function splitCapability(capability: string): { connector: string; action: string } {
  const dot = capability.indexOf('.')
  return { connector: capability.slice(0, Math.max(0, dot)), action: capability.slice(dot + 1) }
}

/** Why an account cannot call an action of a built-in; undefined if it can. */
export function whyUnavailable(
  services: Services,
  builtIn: BuiltInConnector,
  action: BuiltInAction,
  isStored: boolean,
): string | undefined {
  const isConnected =
    action.isOpen || isStored || builtIn.operatorCredentials?.(services.toolSettings) !== undefined
  return isConnected
    ? undefined
    : `${builtIn.label} is not connected: an admin must connect it first`
}

/** The version of a built-in's action, which approvals are bound to. */
export function versionOf(
  { toolSettings }: Services,
  builtIn: BuiltInConnector,
  { hash }: BuiltInAction,
  stored: Pick<StoredConnector, 'version'> | undefined,
): string {
  return versionOfTool(hash, stored?.version ?? builtIn.operatorVersion?.(toolSettings) ?? '')
}

/** Why a tool of an MCP server cannot be called, as far as is known without asking the server. */
export function whyRefused(
  connector: McpRow,
  { name, refused }: PinnedTool,
  publicUrl: string,
): string | undefined {
  if (connector.needs_login && connector.credentials !== 'person') {
    return `${connector.id} needs a login: an admin must log in at ${loginPage(publicUrl, connector.id)}`
  }
  if (refused !== undefined) return `Cannot offer ${name}: ${refused}`
  return connector.changed_tools.includes(name) ? `Cannot call ${name}: ${changedWords}` : undefined
}

function openBuiltIn(
  services: Services,
  accountId: string,
  builtIn: BuiltInConnector,
  action: BuiltInAction,
  stored: StoredConnector | undefined,
): Tool {
  const { id, description, inputSchema, sensitive, maxInputBytes } = action
  const unavailable = whyUnavailable(services, builtIn, action, stored !== undefined)
  return {
    id,
    description,
    inputSchema,
    sensitive,
    ...(maxInputBytes !== undefined && { maxInputBytes }),
    version: versionOf(services, builtIn, action, stored),
    unavailable,
    call: async (input, options) => {
      if (unavailable !== undefined) return { status: 'failed', output: unavailable }
      const own = stored && openSecret(services.secrets, accountId, stored)
      const credentials = own ?? builtIn.operatorCredentials?.(services.toolSettings) ?? {}
      const { outbound, sandbox, toolSettings } = services
      const readFetchHosts = async () =>
        (await readPolicies(services.database, accountId)).web_fetch_hosts
      const isOperators = own === undefined
      const context = {
        accountId,
        outbound,
        sandbox,
        toolSettings,
        credentials,
        readFetchHosts,
        isOperators,
      }
      const answer = await action.call(input, context, options)
      const result = withoutSecrets(answer, secretsOf(builtIn.id, credentials))
      if (stored !== undefined) void noteBuiltInUse(services, accountId, builtIn, stored, result)
      return result
    },
  }
}

function openMcpTool(
  services: Services,
  accountId: string,
  connector: McpRow,
  tool: PinnedTool,
): Tool {
  const sensitive = !connector.safe_tools.includes(tool.name)
  const unavailable = whyRefused(connector, tool, services.publicUrl)
  return {
    id: `${connector.id}.${tool.name}`,
    description: tool.description,
    // Some providers reject an object schema without properties.
    inputSchema: { type: 'object', properties: {}, ...tool.input_schema },
    isForeign: true,
    sensitive,
    version: versionOfTool(tool.hash, connector.version),
    unavailable,
    call: async (input, options) => {
      if (unavailable !== undefined) return { status: 'failed', output: unavailable }
      const stored = openServer(services.secrets, accountId, connector)
      const { run, signal } = options
      const isPersons = connector.credentials === 'person'
      const person = isPersons ? ((await run?.findPerson()) ?? null) : null
      let login = await findBearer(services, accountId, connector, person, signal)
      if ('why' in login) return { status: 'failed', output: login.why }
      const callWith = (bearer: string | undefined) =>
        callMcpTool(
          services.mcpSessions,
          { ...stored, bearer },
          tool,
          input,
          options,
          run && ownerOf(run, options, accountId, connector),
        )
      let made = await callWith(login.bearer)
      const { refusal } = made
      const isOurs = login.bearer !== undefined || refusal?.wantsOAuth === true
      if (refusal !== undefined && isOurs && !hasAuthorization(stored.headers)) {
        const { row } = login
        login = await answerRefusal(services, accountId, connector, { refusal, row, signal })
        if ('why' in login) return { status: 'failed', output: login.why }
        // Nothing was done, and the token is new.
        made = await callWith(login.bearer)
        if (made.refusal !== undefined && login.row !== undefined) {
          await loseLogin(services, accountId, login.row, 'it does not accept the login any more')
        }
      }
      const server = { ...stored, bearer: login.bearer }
      const { result, isChanged, isReached } = made
      if (isChanged) {
        await noteChangedTool(services.database, accountId, connector.id, tool).catch((error) =>
          // The call has its outcome anyway.
          logFailure(services.log, error, 'a changed tool was not noted', { tool: tool.name }),
        )
      }
      const shown = withoutSecrets(result, serverSecrets(server))
      if (isReached !== undefined) {
        const message = isReached ? 'The server answered a call' : shown.output
        await noteUse(services, 'connectors', accountId, connector, { ok: isReached, message })
      }
      return shown
    },
  }
}

function ownerOf(
  run: CallingRun,
  { idempotencyKey: callId }: ToolCallOptions,
  accountId: string,
  { id: connectorId, version }: McpRow,
): SessionOwner {
  const hasOtherCalls = (ids: readonly string[]) => run.hasOtherCalls(connectorId, ids)
  return { ...run, accountId, callId, connectorId, version, hasOtherCalls }
}

/**
 * Records whether a connector works. A successful call shows that it does. A failed call may have
 * had wrong arguments, so the connector's own test decides, which has no effect; the call does not
 * wait for it.
 */
async function noteBuiltInUse(
  services: Services,
  accountId: string,
  builtIn: BuiltInConnector,
  stored: StoredConnector,
  { status }: ToolResult,
): Promise<void> {
  try {
    const isDone = status === 'succeeded'
    const ctx = { ...services, accountId, action: `test ${builtIn.id}` }
    const finding = isDone
      ? { ok: true, message: 'It was used' }
      : await testBuiltIn(ctx, builtIn, stored)
    await noteUse(services, 'connectors', accountId, stored, finding)
  } catch (error) {
    logFailure(services.log, error, 'a connector was not tested after a failed use')
  }
}

/** Removes secrets from a result. */
function withoutSecrets({ status, output }: ToolResult, secrets: Credentials): ToolResult {
  return { status, output: hideSecrets(output, secrets) }
}
