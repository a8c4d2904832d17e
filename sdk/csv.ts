import type { ApiRequest, RequestOptions, Transport } from './transport.ts'
import { cursorOfNext } from './transport.ts'

/** A list as CSV, a page at a time; the line of names is on the first alone. */
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
