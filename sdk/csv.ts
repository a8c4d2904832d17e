import {
  type ApiRequest,
  type RequestOptions,
  type Transport,
  cursorOfNext,
  queryOf,
} from './transport.ts'
import {
  AuditResource,
  type AuditListQuery,
  UsageResource,
  type UsageListQuery,
} from './generated.ts'

/** A list as CSV, one page at a time; only the first page has the line of names. */
export async function* readCsv(
  transport: Transport,
  { path, query = {} }: Pick<ApiRequest, 'path' | 'query'>,
  options: RequestOptions,
): AsyncGenerator<string, void, undefined> {
  const headers = { ...options.headers, accept: 'text/csv' }
  let after = query['after']
  for (let isFirst = true; ; isFirst = false) {
    const page = await transport.send(
      { method: 'GET', path, query: { ...query, after } },
      { ...options, headers },
      async (response) => ({
        text: await response.text(),
        next: cursorOfNext(response.headers.get('link')),
      }),
    )
    yield isFirst ? page.text : page.text.slice(page.text.indexOf('\n') + 1)
    after = page.next
    if (after === undefined) return
  }
}

/** Audit methods in addition to the generated one: changes as CSV. */
export class Audit extends AuditResource {
  /** A line of names, then one for each change, page by page, because there may be very many. */
  csv(options: AuditListQuery & RequestOptions = {}): AsyncGenerator<string, void, undefined> {
    const request = { path: '/v1/audit', query: { limit: 100, ...queryOf(options) } }
    return readCsv(this.transport, request, options)
  }
}

/** Usage methods in addition to the generated one: all rows as CSV. */
export class Usages extends UsageResource {
  /** A line of names, then one for each row. */
  async csv(options: UsageListQuery & RequestOptions = {}): Promise<string> {
    const request = { path: '/v1/usage', query: { limit: 1_000, ...queryOf(options) } }
    let text = ''
    for await (const page of readCsv(this.transport, request, options)) text += page
    return text
  }
}
