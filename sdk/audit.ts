import { readCsv } from './csv.ts'
import { AuditResource, type AuditListQuery } from './generated.ts'
import { queryOf, type RequestOptions } from './transport.ts'

/** What the audit has beyond the plain operation: its changes as CSV. */
export class Audit extends AuditResource {
  /** A line of names, then one for each change; page by page, since there may be very many. */
  csv(options: AuditListQuery & RequestOptions = {}): AsyncGenerator<string, void, undefined> {
    const request = { path: '/v1/audit', query: { limit: 100, ...queryOf(options) } }
    return readCsv(this.transport, request, options)
  }
}
