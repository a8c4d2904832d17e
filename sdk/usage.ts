import { UsageResource, type UsageListQuery } from './generated.ts'
import { cursorOfNext, type RequestOptions } from './transport.ts'

/** What usage has beyond the plain operation: all rows as CSV. */
export class Usages extends UsageResource {
  /** A line of names, then one for each row. */
  async csv(query: UsageListQuery = {}, options: RequestOptions = {}): Promise<string> {
    const headers = { ...options.headers, accept: 'text/csv' }
    const parts: string[] = []
    let { after } = query
    do {
      const page = await this.transport.send(
        { method: 'GET', path: '/v1/usage', query: { limit: 1_000, ...query, after } },
        { ...options, headers },
        async (response) => ({
          text: await response.text(),
          next: cursorOfNext(response.headers.get('link')),
        }),
      )
      parts.push(parts.length === 0 ? page.text : page.text.slice(page.text.indexOf('\n') + 1))
      after = page.next
    } while (after !== undefined)
    return parts.join('')
  }
}
