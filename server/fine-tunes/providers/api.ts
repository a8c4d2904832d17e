import { FormData } from 'undici'
import { createTransport, withDefaultPath } from '../../models/transport.ts'
import { requireId, toAnswer, toCount, toText, type Answer } from './answer.ts'
import {
  ProviderError,
  timeouts,
  type ClientSettings,
  type FineTuneClient,
  type JobEvent,
  type JobStatus,
  type NewProviderJob,
  type ProviderJob,
} from './contract.ts'

/**
 * The REST API that fine-tuning providers share: files, and jobs that train on them. Every call is
 * sent once, because a repeated create would make two jobs. Connections, time and response size are
 * bounded, as for model calls.
 */
export interface Dialect {
  url: string
  /** The error message in a provider's response. */
  wordsOf: (answer: Answer) => string | null
  toBody: (job: NewProviderJob) => object
  statuses: Record<string, JobStatus>
  readJob: (job: Answer) => Pick<ProviderJob, 'costUsd' | 'error' | 'startedAt' | 'finishedAt'>
  /** `path` of the job. */
  listEvents: (call: Call, path: string) => Promise<JobEvent[]>
}

/** Returns the response; throws `ProviderError` for errors. Statuses in `fine` are not errors. */
type Call = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  timeoutMs: number,
  body?: object,
  fine?: number[],
) => Promise<Answer>

const jobs = '/fine_tuning/jobs'

export function createClient(settings: ClientSettings, dialect: Dialect): FineTuneClient {
  const transport = createTransport({
    maxConcurrency: 64,
    timeoutMs: timeouts.upload,
    proxy: settings.proxy,
  })
  const call = createCall(transport, settings, dialect)
  const pathOf = (id: string): string => `${jobs}/${encodeURIComponent(id)}`
  const toJob = (job: Answer): ProviderJob => {
    const providerStatus = toText(job['status'], 100)
    if (providerStatus === null) throw new ProviderError('unknown', 'the answer is no job')
    return {
      id: requireId(job, 'job'),
      providerStatus,
      status: dialect.statuses[providerStatus],
      fineTunedModel: toText(job['fine_tuned_model'], 200),
      trainedTokens: toCount(job['trained_tokens']),
      ...dialect.readJob(job),
    }
  }
  return {
    uploadFile: async (name, content) => {
      const form = new FormData()
      form.set('purpose', 'fine-tune')
      form.set('file', new File([content], name, { type: 'application/jsonl' }))
      return requireId(await call('POST', '/files', timeouts.upload, form), 'file')
    },
    deleteFile: async (id) => {
      const path = `/files/${encodeURIComponent(id)}`
      await call('DELETE', path, timeouts.change, undefined, [404])
    },
    deleteModel: async (id) => {
      const path = `/models/${encodeURIComponent(id)}`
      await call('DELETE', path, timeouts.change, undefined, [404])
    },
    createJob: async (job) => toJob(await call('POST', jobs, timeouts.create, dialect.toBody(job))),
    retrieveJob: async (id) => toJob(await call('GET', pathOf(id), timeouts.read)),
    cancelJob: async (id) => toJob(await call('POST', `${pathOf(id)}/cancel`, timeouts.change)),
    listEvents: (id) => dialect.listEvents(call, pathOf(id)),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

function createCall(
  transport: ReturnType<typeof createTransport>,
  { apiKey, baseUrl }: ClientSettings,
  { url, wordsOf }: Dialect,
): Call {
  const root = withDefaultPath(baseUrl, url)
  return async (method, path, timeoutMs, body, fine = []) => {
    // undici streams its own kind of form, without copying the file.
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
    throw new ProviderError(isRefusal ? 'rejected' : 'unknown', message, undefined, status)
  }
}

function parse(text: string): Answer {
  try {
    return toAnswer(JSON.parse(text))
  } catch {
    return {}
  }
}
