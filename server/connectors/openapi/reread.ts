import type { Services } from '../../context.ts'
import { noteState } from '../../db/connection-state.ts'
import { DomainError } from '../../errors.ts'
import type { ConnectorTest } from '../schema.ts'
import { openConnection } from '../http/login.ts'
import { saveChanges } from '../http/http-store.ts'
import type { HttpRow } from '../http/row.ts'
import { tryConnection } from '../http/try-connection.ts'
import { compare } from './compare.ts'
import { DocumentError, fetchDocument } from './fetch-document.ts'
import { readApi, toTools } from './operations.ts'

export type Reading = Pick<Services, 'database' | 'outbound' | 'sandbox' | 'limits' | 'secrets'>

/** Tests the connection of an HTTP API, and compares its document where it has an address. */
export async function testHttp(
  services: Reading,
  accountId: string,
  row: HttpRow,
): Promise<ConnectorTest> {
  const tested = await tryConnection({ ...services, accountId }, row)
  const read = await rereadDocument(services, accountId, row)
  const message = [tested.message, read?.message].filter((part) => part !== undefined).join('; ')
  const isWorking = tested.ok && read?.isRead !== false
  await noteState(services.database, 'connectors', accountId, row, { ok: isWorking, message })
  return {
    ok: isWorking && (read?.changed.length ?? 0) === 0,
    message,
    ...(read !== undefined && { changed_tools: read.changed, changes: read.changes }),
  }
}

interface Reread {
  isRead: boolean
  message: string
  changed: string[]
  changes: HttpRow['changes']
}

/** Reads a document again by its address and stores how it differs; undefined if it has none. */
async function rereadDocument(
  services: Reading,
  accountId: string,
  row: HttpRow,
): Promise<Reread | undefined> {
  const connection = openConnection(services, accountId, row)
  const { document_url: url } = connection
  if (url === undefined) return undefined
  try {
    const text = await fetchDocument(services.outbound, url)
    const caller = { ...services, accountId, action: 'read the document' }
    const api = await readApi(caller, text, row.picked ?? undefined, connection)
    const { changes, changed } = compare(row.tools, toTools(api), api.total <= row.tools.length)
    await saveChanges(services.database, accountId, row, { changes, changed })
    const counts = (['changed', 'removed', 'added'] as const).flatMap((kind) => {
      const count = changes.filter(({ change }) => change === kind).length
      return count === 0 ? [] : [`${count} ${kind}`]
    })
    const message =
      counts.length === 0
        ? 'the document is unchanged'
        : `operations of the document since it was accepted: ${counts.join(', ')}; connect it again to accept them`
    return { isRead: true, message, changed, changes }
  } catch (error) {
    const isKnown = error instanceof DocumentError || error instanceof DomainError
    if (!isKnown) throw error
    const message = `the document cannot be read: ${error.message}`
    return { isRead: false, message, changed: row.changed_tools, changes: row.changes }
  }
}
