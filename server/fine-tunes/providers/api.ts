import { FormData } from 'undici'
import { withDefaultPath } from '../../models/base-url.ts'
import { createTransport } from '../../models/transport.ts'
import { toAnswer, type Answer } from './answer.ts'
import { ProviderError, timeouts, type ClientSettings } from './contract.ts'

/**
 * The REST API of a provider. Every call is made once, since a create that is repeated would make two
 * jobs, and is bounded in connections, time and size of the answer, as calls of models are.
 */
export interface ProviderApi extends AsyncDisposable {
  /** The answer; a failure is a `ProviderError`. Statuses in `fine` are none. */
  call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    timeoutMs: number,
    body?: object,
    fine?: number[],
  ): Promise<Answer>
  /** Uploads JSONL to train on; the answer of `POST /files`. */
  upload(name: string, content: Blob): Promise<Answer>
}

/** `wordsOf` finds in an answer what the provider says went wrong. */
export function createApi(
  { apiKey, baseUrl }: ClientSettings,
  defaultUrl: string,
  wordsOf: (answer: Answer) => string | null,
): ProviderApi {
  const transport = createTransport({ maxConcurrency: 64, timeoutMs: timeouts.upload })
  const root = withDefaultPath(baseUrl, defaultUrl)
  const call: ProviderApi['call'] = async (method, path, timeoutMs, body, fine = []) => {
    // undici sends its own kind of form piece by piece, so that no copy of a file is made.
    const isForm = body instanceof FormData
    let response: Response
    let text: string
    try {
      response = await transport.fetch(root + path, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json',
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        body: isForm ? body : (JSON.stringify(body) ?? null),
        signal: AbortSignal.timeout(timeoutMs),
      })
      text = await response.text()
    } catch (error) {
      const isLate = (error as Error).name === 'TimeoutError'
      const why = isLate ? `no answer within ${timeoutMs / 1000} s` : (error as Error).message
      throw new ProviderError('unknown', why, error)
    }
    const answer = parse(text)
    const { status } = response
    if (response.ok || fine.includes(status)) return answer
    const isRefusal = status >= 400 && status < 500 && status !== 408
    const message = (wordsOf(answer) ?? `it answered ${status}`).replaceAll(apiKey, '…')
    throw new ProviderError(isRefusal ? 'rejected' : 'unknown', message)
  }
  return {
    call,
    upload: (name, content) => {
      const form = new FormData()
      form.set('purpose', 'fine-tune')
      form.set('file', new File([content], name, { type: 'application/jsonl' }))
      return call('POST', '/files', timeouts.upload, form)
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

function parse(text: string): Answer {
  try {
    return toAnswer(JSON.parse(text))
  } catch {
    return {}
  }
}
