import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { StateRow } from '../db/connection-state.ts'
import { OwnedTable } from '../db/owned-table.ts'
import { saveHttpConnector } from './http/http-store.ts'
import { isHttpRow, type HttpRow } from './http/row.ts'
import type { PinnedTool, ToolPick } from './mcp/pins.ts'
import type { Demand } from './oauth/discover.ts'

/** SQL of the connectors of accounts. */
export type StoredConnector = BuiltInRow | McpRow | HttpRow

type BuiltInRow = Pick<McpRow, 'id' | 'secret' | 'version' | keyof StateRow> & { kind: 'builtin' }

export interface McpRow extends StateRow {
  kind: 'mcp'
  id: string
  secret: Buffer
  /** Changes with each change of the secret. */
  version: string
  /** The origin only; the full address is in `secret`. */
  url: string
  header_names: string[]
  safe_tools: string[]
  /** Null for all tools. */
  picked: ToolPick | null
  tools: PinnedTool[]
  changed_tools: string[]
  /** Whose login calls use; null if the server demands none. */
  credentials: 'account' | 'person' | null
  /** What the server said when it demanded a login; null while it demands none. */
  oauth: Demand | null
  /** The account must log in, or the tools were never read. */
  needs_login: boolean
  /** Authorization server and client of the last login that was begun, encrypted. */
  registration: Buffer | null
}

/**
 * Whether a connector is one of the account's own, which keeps its name even if a later version of
 * Muster has a built-in with it.
 */
export function isOwn(row: { kind: string } | undefined): boolean {
  return row !== undefined && row.kind !== 'builtin'
}

export const maxMcpServersPerAccount = 20

export const connectors = new OwnedTable<StoredConnector>('connectors', [
  'id',
  'kind',
  'secret',
  'version',
  'url',
  'header_names',
  'safe_tools',
  'picked',
  'tools',
  'changed_tools',
  'credentials',
  'oauth',
  'needs_login',
  'registration',
  'label',
  'settings',
  'changes',
  'checked_at',
  'failing_since',
  'check_message',
])

const isOffered = sql`tool -> 'unpicked' is null and tool -> 'refused' is null`

/** All connectors of the account, by id. */
export async function listStored(
  database: Database,
  accountId: string,
): Promise<StoredConnector[]> {
  const { rows } = await sql<StoredConnector>`
    select ${connectors.fields} from connectors
    where account_id = ${accountId} order by id`.execute(database)
  return rows
}

/** The account's connectors with these ids, each with the given tools that it has. */
export async function findForCapabilities(
  database: Database,
  accountId: string,
  ids: readonly string[],
  toolNames: readonly string[],
): Promise<StoredConnector[]> {
  const { rows } = await sql<StoredConnector>`
    select id, kind, secret, version, url, header_names, safe_tools, picked, changed_tools,
           credentials, oauth, needs_login, registration, label, settings, changes, checked_at,
           failing_since, check_message,
           coalesce((select jsonb_agg(tool) from jsonb_array_elements(tools) as tool
                     where tool ->> 'name' = any (${toolNames}::text[]) and ${isOffered}), '[]') as tools
    from connectors
    where account_id = ${accountId} and id = any (${ids}::text[])`.execute(database)
  return rows
}

/** The MCP servers and HTTP APIs of the account with the names of their tools. */
export async function listToolIds(
  database: Database,
  accountId: string,
): Promise<{ id: string; tools: string[] }[]> {
  const { rows } = await sql<{ id: string; tools: string[] }>`
    select id, array(select tool ->> 'name' from jsonb_array_elements(tools) as tool
                     where ${isOffered}) as tools
    from connectors where account_id = ${accountId} and kind <> 'builtin'
    order by id`.execute(database)
  return rows
}

/**
 * Inserts or replaces a connector; false if the account, which must be locked, has reached its
 * limit of MCP servers.
 */
export async function saveConnector(
  transaction: Transaction,
  accountId: string,
  connector: StoredConnector,
): Promise<boolean> {
  if (isHttpRow(connector)) return saveHttpConnector(transaction, accountId, connector)
  const { id, kind, secret, version } = connector
  const mcp = connector.kind === 'mcp' ? connector : undefined
  const { numAffectedRows } = await sql`
    insert into connectors
      (account_id, id, kind, secret, version, url, header_names, safe_tools, picked, tools,
       credentials, oauth, needs_login, registration)
    select ${accountId}, ${id}, ${kind}, ${secret}::bytea, ${version}, ${mcp?.url ?? null},
           ${mcp?.header_names ?? []}::text[], ${mcp?.safe_tools ?? []}::text[],
           ${mcp?.picked ? JSON.stringify(mcp.picked) : null}::jsonb,
           ${JSON.stringify(mcp?.tools ?? [])}::jsonb, ${mcp?.credentials ?? null},
           ${mcp?.oauth ? JSON.stringify(mcp.oauth) : null}::jsonb, ${mcp?.needs_login ?? false},
           ${mcp?.registration ?? null}::bytea
    where ${kind} <> 'mcp' or (select count(*) from connectors
           where account_id = ${accountId} and kind = 'mcp' and id <> ${id})
          < ${maxMcpServersPerAccount}::int
    on conflict (account_id, id) do update set
      kind = excluded.kind, secret = excluded.secret, version = excluded.version,
      url = excluded.url,
      header_names = excluded.header_names, safe_tools = excluded.safe_tools,
      picked = excluded.picked, credentials = excluded.credentials, oauth = excluded.oauth,
      needs_login = excluded.needs_login, registration = excluded.registration,
      checked_at = null, failing_since = null, check_message = null,
      tools = excluded.tools, changed_tools = '{}', updated_at = excluded.updated_at`.execute(
    transaction,
  )
  return numAffectedRows === 1n
}

/** Stores the tools of a server that could not be asked for them before, unless it was changed in the meantime. */
export async function saveFirstTools(
  transaction: Transaction,
  accountId: string,
  { id, version, picked, tools }: Pick<McpRow, 'id' | 'version' | 'picked' | 'tools'>,
): Promise<void> {
  await sql`
    update connectors set tools = ${JSON.stringify(tools)}::jsonb, needs_login = false,
      picked = ${picked === null ? null : JSON.stringify(picked)}::jsonb
    where account_id = ${accountId} and id = ${id} and version = ${version}
      and tools = '[]'`.execute(transaction)
}

/** Bytes of JSON of all tools of the account's MCP servers and HTTP APIs. */
export async function countToolBytes(transaction: Transaction, accountId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(tools::text)), 0)::int as bytes
    from connectors where account_id = ${accountId}`.execute(transaction)
  return rows[0]?.bytes ?? 0
}

/** Records that a tool has changed, unless the connector was replaced in the meantime. */
export async function noteChangedTool(
  database: Database,
  accountId: string,
  id: string,
  tool: PinnedTool,
): Promise<void> {
  await sql`
    update connectors set changed_tools = array_append(changed_tools, ${tool.name})
    where account_id = ${accountId} and id = ${id} and ${tool.name} <> all (changed_tools)
      and exists (select 1 from jsonb_array_elements(tools) as pinned
                  where pinned ->> 'hash' = ${tool.hash})`.execute(database)
}

/** Sets which tools have changed, unless the connector was replaced in the meantime. */
export async function setChangedTools(
  database: Database,
  accountId: string,
  connector: McpRow,
  changed: readonly string[],
): Promise<void> {
  await sql`
    update connectors set changed_tools = ${changed}::text[]
    where account_id = ${accountId} and id = ${connector.id}
      and secret = ${connector.secret}::bytea`.execute(database)
}
