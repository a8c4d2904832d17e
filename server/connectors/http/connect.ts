import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { checkListBytes, whileLocked } from '../../accounts/bounds.ts'
import type { Context } from '../../context.ts'
import { noteState, untried } from '../../db/connection-state.ts'
import { save } from '../save.ts'
import { sealSecret } from '../secret.ts'
import type { Connector } from '../schema.ts'
import { connectors, countToolBytes, type StoredConnector } from '../store.ts'
import { isSafe, pinActions } from './actions.ts'
import { showAuth, type HttpConnection } from './connection.ts'
import { checkBaseUrl, openConnection, readLogin } from './login.ts'
import { isHttpRow, type HttpRow } from './row.ts'
import type { ConnectHttp } from './schema.ts'
import { showHttp } from './show.ts'
import { tryConnection } from './try-connection.ts'

/**
 * Connectors of the kind `http`: an admin describes an API's actions, and agents call them
 * (`call.ts`). The kind `openapi` reads the actions from a document (`../openapi`), and is the same
 * from there on. Base address, login and headers are sealed together; the address and what is not
 * secret of the login are stored beside them for lists.
 */

export async function connectHttp(
  ctx: Context,
  id: string,
  input: ConnectHttp,
): Promise<Connector> {
  await checkBaseUrl(ctx, input.base_url)
  const stored = await findStored(ctx, id)
  const { isKept, ...login } = await readLogin(ctx, input, input.base_url, stored?.connection)
  const connection: HttpConnection = { base_url: input.base_url, ...login }
  const tools = await pinActions(ctx, input.actions)
  return store(ctx, stored, isKept, connection, {
    kind: 'http',
    id,
    label: input.label ?? null,
    safe_tools: input.actions.filter(isSafe).map(({ name }) => name),
    picked: null,
    tools,
  })
}

export interface StoredHttp {
  row: HttpRow
  /** Undefined if it cannot be decrypted. */
  connection: HttpConnection | undefined
}

export async function findStored(ctx: Context, id: string): Promise<StoredHttp | undefined> {
  const row: StoredConnector | undefined = await connectors.find(ctx.database, ctx.accountId, {
    id,
  })
  if (!isHttpRow(row)) return undefined
  try {
    return { row, connection: openConnection(ctx, ctx.accountId, row) }
  } catch {
    return { row, connection: undefined }
  }
}

type Described = Pick<HttpRow, 'kind' | 'id' | 'label' | 'safe_tools' | 'picked' | 'tools'>

/** Stores a connector, tries its connection and shows it. */
export async function store(
  ctx: Context,
  stored: StoredHttp | undefined,
  isKept: boolean,
  connection: HttpConnection,
  described: Described,
  document?: HttpRow['settings']['document'],
): Promise<Connector> {
  const { base_url: baseUrl, auth, headers } = connection
  const isSame =
    stored?.connection !== undefined &&
    isDeepStrictEqual([baseUrl, auth, headers], connectionParts(stored.connection))
  const row: HttpRow = {
    ...described,
    secret: sealSecret(ctx, described.id, connection),
    // If only the actions are given again, open approvals of unchanged ones stay valid.
    version: isSame ? stored.row.version : randomUUID(),
    url: new URL(baseUrl).origin,
    header_names: Object.keys(headers),
    changed_tools: [],
    changes: [],
    settings: { base_url: baseUrl, auth: showAuth(auth), ...(document && { document }) },
    ...untried,
  }
  await whileLocked(ctx, async (transaction) => {
    await save(ctx, transaction, row, isKept ? stored?.row.version : undefined)
    await checkListBytes(ctx, transaction, 'actions of connectors', { countBytes: countToolBytes })
  })
  const tested = await tryConnection(ctx, row)
  const state = await noteState(ctx.database, 'connectors', ctx.accountId, row, tested)
  return showHttp({ ...row, ...state })
}

function connectionParts({ base_url: baseUrl, auth, headers }: HttpConnection): unknown[] {
  return [baseUrl, auth, headers]
}
