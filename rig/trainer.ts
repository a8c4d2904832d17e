import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { startReceiver } from './receiver.ts'
import type { ProviderId } from '../server/fine-tunes/providers/settings.ts'
import { toCompletion, toJob, toResponse } from './trainer-words.ts'

/**
 * For tests and benchmarks only: a fine-tuning provider on loopback, with the API of either
 * provider. It behaves as a test says, records what it was sent, and runs tuned models, which
 * repeat the last line.
 */
export interface Trainer extends AsyncDisposable {
  url: string
  /** Uploaded files that were not deleted, by id. */
  files: Map<string, { name: string; content: string }>
  /** Every job, in the order of creation. */
  jobs: TrainerJob[]
  /** Such as `POST /v1/files`, in order of arrival. */
  calls: string[]
  /** Bodies of chat calls. */
  chats: { model: string }[]
  /** Called before each call; its result replaces the usual response. */
  intervene: (call: string) => Intervention | undefined
  /** Sets a job's status, with an entry in the provider's log. */
  setStatus(job: TrainerJob, status: TrainerJob['status'], error?: string): void
  until(condition: () => boolean): Promise<void>
  /** Disconnects hanging requests. */
  release(): void
}

export type Intervention =
  | { status: number; body: unknown; until?: Promise<unknown> }
  /** Never answers. */
  | 'hang'
  /** Disconnects before, or after, doing the work. */
  | 'cut'
  | 'do-and-cut'
  /** Does the work, and never answers. */
  | 'do-and-hang'
  /** Does the work, and answers when this has settled. */
  | { until: Promise<unknown> }

export interface TrainerJob {
  id: string
  status: 'validating' | 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'weird'
  model: string
  fileId: string
  suffix: string | null
  request: Record<string, unknown>
  fineTunedModel: string | null
  trainedTokens: number | null
  error: string | null
  events: { at: number; status: string; error: string | null }[]
  finishedAt: number | null
}

type Reply = { status: number; body: unknown }

export async function startTrainer(shape: ProviderId): Promise<Trainer> {
  const hanging: ServerResponse[] = []
  let clock = Math.floor(Date.now() / 1000)
  let nextId = 1
  const receiver = await startReceiver((request, response) => {
    void answer(request, response).finally(() => receiver.changed())
  })
  const trainer: Trainer = {
    url: `http://127.0.0.1:${receiver.port}`,
    files: new Map(),
    jobs: [],
    calls: [],
    chats: [],
    intervene: () => undefined,
    setStatus,
    until: (condition) => receiver.until(condition),
    release: () => {
      for (const response of hanging.splice(0)) response.destroy()
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
  return trainer

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const path = (request.url ?? '').split('?')[0] as string
    const call = `${request.method} ${path}`
    trainer.calls.push(call)
    const way = trainer.intervene(call)
    if (way === 'hang') return void hanging.push(response)
    if (way === 'cut') return void response.destroy()
    const contentType = request.headers['content-type'] ?? ''
    const reply =
      typeof way === 'object' && 'status' in way
        ? way
        : await act(request.method ?? '', path, contentType, body)
    if (typeof way === 'object' && 'until' in way) {
      receiver.changed()
      await way.until
    }
    if (way === 'do-and-cut') return void response.destroy()
    if (way === 'do-and-hang') return void hanging.push(response)
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply.body))
  }

  async function act(
    method: string,
    path: string,
    contentType: string,
    body: Buffer,
  ): Promise<Reply> {
    const [, , room, ...rest] = path.split('/')
    if (room === 'files') return onFiles(method, rest[0], contentType, body)
    if (room === 'fine_tuning') {
      return onJobs(method, rest.slice(1), body.length === 0 ? {} : JSON.parse(body.toString()))
    }
    if (room === 'models' && method === 'DELETE') return ok({ id: rest[0], deleted: true })
    const chat = JSON.parse(body.toString())
    trainer.chats.push(chat)
    return ok(room === 'responses' ? toResponse(chat) : toCompletion(chat))
  }

  async function onFiles(
    method: string,
    id: string | undefined,
    contentType: string,
    body: Buffer,
  ): Promise<Reply> {
    if (method === 'DELETE') {
      const existed = trainer.files.delete(id ?? '')
      return existed ? ok({ id, deleted: true }) : refusal(404, 'no such file')
    }
    if (method === 'GET') {
      const data = [...trainer.files].map(([id, { name }]) => ({ id, filename: name }))
      return ok({ object: 'list', data: data.toReversed() })
    }
    const form = await new Response(body as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': contentType },
    }).formData()
    const file = form.get('file') as File
    if (form.get('purpose') !== 'fine-tune') return refusal(400, 'purpose is not fine-tune')
    const made = `file-${nextId++}`
    trainer.files.set(made, { name: file.name, content: await file.text() })
    return ok({ id: made, object: 'file', filename: file.name, purpose: 'fine-tune' })
  }

  function onJobs(method: string, rest: string[], body: Record<string, unknown>): Reply {
    const [id, action] = rest
    if (id === undefined && method === 'GET') {
      return ok({
        object: 'list',
        data: trainer.jobs.toReversed().map((job) => toJob(shape, job)),
        has_more: false,
      })
    }
    if (id === undefined) return create(body)
    const job = trainer.jobs.find((one) => one.id === id)
    if (job === undefined) return refusal(404, `no job ${id}`)
    if (action === 'cancel') {
      if (['succeeded', 'failed', 'cancelled'].includes(job.status)) {
        return refusal(400, `Job has already ${job.status}`)
      }
      setStatus(job, 'cancelled')
    }
    if (action === 'events') {
      const data = job.events.toReversed().map(({ at, status, error }, index) => ({
        object: 'fine_tuning.job.event',
        id: `ev-${job.events.length - index}`,
        created_at: at,
        level: error === null ? 'info' : 'error',
        message: error ?? `now ${status}`,
      }))
      return ok({ object: 'list', data, has_more: false })
    }
    return ok(toJob(shape, job))
  }

  function create(body: Record<string, unknown>): Reply {
    const files = body['training_files'] as { file_id: string }[] | undefined
    const fileId = shape === 'openai' ? body['training_file'] : files?.[0]?.file_id
    if (typeof fileId !== 'string' || !trainer.files.has(fileId)) {
      return refusal(400, `invalid training file ${String(fileId)}`)
    }
    const job: TrainerJob = {
      id: `ftjob-${nextId++}`,
      status: 'validating',
      model: String(body['model']),
      fileId,
      suffix: typeof body['suffix'] === 'string' ? body['suffix'] : null,
      request: body,
      fineTunedModel: null,
      trainedTokens: null,
      error: null,
      events: [],
      finishedAt: null,
    }
    trainer.jobs.push(job)
    setStatus(job, 'validating')
    return ok(toJob(shape, job))
  }

  function setStatus(job: TrainerJob, status: TrainerJob['status'], error?: string): void {
    job.status = status
    job.error = error ?? null
    clock++
    job.events.push({ at: clock, status, error: job.error })
    const isOver = ['succeeded', 'failed', 'cancelled'].includes(status)
    job.finishedAt = isOver ? clock : null
    if (status === 'succeeded') {
      job.trainedTokens = 40_000
      job.fineTunedModel = `ft:${job.model}:org:${job.suffix ?? ''}:${job.id}`
    }
  }
}

function ok(body: unknown): Reply {
  return { status: 200, body }
}

function refusal(status: number, message: string): Reply {
  // Both clients can read it: OpenAI's under `error`, Mistral's beside it.
  return { status, body: { error: { message, type: 'invalid_request_error' }, message } }
}
