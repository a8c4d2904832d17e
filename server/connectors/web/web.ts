import Type, { type Static } from 'typebox'
import { callApi, explainFailure, textField, type ApiAnswer } from '../../tools/call-api.ts'
import { defineAction, defineConnector, Token, type CallContext } from '../../tools/connector.ts'
import { fetchPage } from './fetch-page.ts'

/** Reads public web pages, and searches with Brave Search, which needs a key. */
const Credentials = Type.Object(
  { search_key: Token(200, 'Key of the Brave Search API.') },
  { $id: 'WebCredentials', additionalProperties: false, description: 'How the web is searched.' },
)
type Credentials = Static<typeof Credentials>

const fetch = defineAction({
  name: 'fetch',
  description: 'Reads a public web page as text.',
  sensitive: false,
  isOpen: true,
  input: {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'Address of the page.' }),
  },
  call: ({ url }, context: CallContext<unknown>, { signal }) => fetchPage(context, url, signal),
})

const search = defineAction({
  name: 'search',
  description: 'Searches the web; answers with titles, addresses and descriptions of pages.',
  sensitive: false,
  input: {
    query: Type.String({ minLength: 1, maxLength: 400, description: 'What to look for.' }),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: 'Most results, 10 by default.' }),
    ),
  },
  call: async ({ query, count = 10 }, context: CallContext<Credentials>, { signal }) => {
    const answer = await callBrave(context, query, count, signal)
    if (!answer.ok) return { status: 'failed', output: explain(answer) }
    const results = resultsOf(answer.body).slice(0, count)
    return { status: 'succeeded', output: JSON.stringify({ results }) }
  },
})

export const web = defineConnector({
  id: 'web',
  label: 'Web',
  api: { url: 'https://api.search.brave.com', variable: 'BRAVE_SEARCH_BASE_URL' },
  credentials: Credentials,
  labels: { search_key: 'Brave Search key' },
  actions: [fetch, search],
  test: async (context) => {
    const answer = await callBrave(context, 'test', 1)
    if (!answer.ok) return { ok: false, message: explain(answer) }
    return { ok: true, message: 'Brave Search accepts the key' }
  },
})

function callBrave(
  context: CallContext<Credentials>,
  query: string,
  count: number,
  signal?: AbortSignal,
): Promise<ApiAnswer> {
  const parameters = new URLSearchParams({ q: query, count: String(count) })
  return callApi(context, {
    method: 'GET',
    connector: 'web',
    path: `/res/v1/web/search?${parameters.toString()}`,
    headers: { 'x-subscription-token': context.credentials.search_key },
    signal,
    name: 'Brave Search',
    isRead: true,
  })
}

function explain(answer: Extract<ApiAnswer, { ok: false }>): string {
  const { error } = (answer.body ?? {}) as { error?: unknown }
  return explainFailure(answer, hints, textField(error, 'detail'))
}

const hints: Record<number, string> = {
  401: 'the key is not valid',
  403: 'the key may not search',
  422: 'the key or the query is not valid',
  429: 'the plan of the key is used up for now',
}

function resultsOf(body: unknown): object[] {
  const { web: found } = body as { web?: { results?: unknown } }
  if (!Array.isArray(found?.results)) return []
  return found.results.map((result: unknown) => ({
    title: textField(result, 'title'),
    url: textField(result, 'url', 2048),
    description: textField(result, 'description', 1000)?.replaceAll(/<\/?strong>/g, ''),
  }))
}
