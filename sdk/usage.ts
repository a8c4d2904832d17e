import { readCsv } from './csv.ts'
import { UsageResource, type UsageListQuery } from './generated.ts'
import { queryOf, type RequestOptions } from './transport.ts'

/** What usage has beyond the plain operation: all rows as CSV. */
export class Usages extends UsageResource {
  /** A line of names, then one for each row. */
  async csv(options: UsageListQuery & RequestOptions = {}): Promise<string> {
    const request = { path: '/v1/usage', query: { limit: 1_000, ...queryOf(options) } }
    let text = ''
    for await (const page of readCsv(this.transport, request, options)) text += page
    return text
  }
}
