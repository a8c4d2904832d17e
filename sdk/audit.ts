import { readCsv } from './csv.ts'
import { AuditResource, type AuditListQuery } from './generated.ts'
import type { RequestOptions } from './transport.ts'

/** What the audit has beyond the plain operation: its changes as CSV. */
export class Audit extends AuditResource {
  /** A line of names, then one for each change; page by page, since there may be very many. */
  csv(
    query: AuditListQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    const request = { path: '/v1/audit', query: { limit: 100, ...query } }
    return readCsv(this.transport, request, options)
  }
}
