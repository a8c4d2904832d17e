import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import { figure, type Figure } from './report.ts'
import { createWorkflow, timeGet } from '../rig/api.ts'
import { forgetPeak, peakMb, residentMb } from '../rig/memory.ts'
import { adminKey } from '../rig/muster-process.ts'
import { percentile, round } from '../rig/measure.ts'
import { setStage, type Stage } from '../rig/stage.ts'
import { startTrainerProcess } from '../rig/trainer-process.ts'
import { until } from '../rig/until.ts'

const examples = 50_000
const bytes = 20 * 1024 * 1024
const uploads = 5
const clients = 4
/** Each asks so often. */
const everyMs = 20
const activeJobs = 10_000

const targetSeconds = 3
const targetMb = 250
const targetMs = 100
const targetRoundSeconds = 60

/** Training sets of 20 MB, what other requests feel of them, and many jobs that are followed. */
export async function fineTuneUpload(): Promise<Figure[]> {
  await using trainer = await startTrainerProcess()
  await using stage = await setStage({
    env: { OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: trainer.url, MUSTER_DEFAULT_MODEL: 'bench' },
  })
  const { muster } = stage
  const body = makeBody()
  const path = `/v1/workflows/${await createWorkflow(muster.url)}`
  // Code is compiled, and memory taken that is not given back.
  await send(muster.url, '/v1/fine-tunes/preview', body)
  for (let number = 0; number < 500; number++) await timeGet(muster.url, path)

  const checked = await measure(stage, '/v1/fine-tunes/preview', path, body)
  const created = await measure(stage, '/v1/fine-tunes', path, body)
  const what = `${examples} examples in 20 MB`
  return [
    ...(
      [
        [`${what} checked`, checked, targetSeconds],
        [`${what} checked, stored, uploaded and their job created`, created, undefined],
      ] as const
    ).flatMap(([name, { seconds, mb, p99, aloneP99 }, target]) => [
      figure(
        `${name}, the slowest of ${uploads}`,
        `${round(seconds, 2)} s`,
        target === undefined ? '' : `< ${target} s`,
        target === undefined ? undefined : seconds < target,
      ),
      figure(
        `most memory above idle meanwhile`,
        `${round(mb, 0)} MB`,
        `< ${targetMb} MB`,
        mb < targetMb,
      ),
      figure(
        `GET /v1/workflows/{id} 200 times a second meanwhile, p99; without uploads`,
        `${round(p99)} ms; ${round(aloneP99)} ms`,
        `< ${targetMs} ms`,
        p99 < targetMs,
      ),
    ]),
    await measureRound(stage),
  ]
}

async function measure(
  { muster }: Stage,
  route: string,
  other: string,
  body: Buffer,
): Promise<{ seconds: number; mb: number; p99: number; aloneP99: number }> {
  await delay(2_000)
  const idle = await residentMb(muster.pid)
  await forgetPeak(muster.pid)
  const alone = await timeReads(muster.url, other, () => delay(3_000))
  const seconds: number[] = []
  const tookMs = await timeReads(muster.url, other, async () => {
    for (let number = 0; number < uploads; number++) {
      const began = performance.now()
      await send(muster.url, route, body)
      seconds.push((performance.now() - began) / 1_000)
    }
  })
  const mb = (await peakMb(muster.pid)) - idle
  return {
    seconds: Math.max(...seconds),
    mb,
    p99: percentile(tookMs, 0.99),
    aloneP99: percentile(alone, 0.99),
  }
}

/** Milliseconds of reads at a steady pace while something happens. */
async function timeReads(
  url: string,
  path: string,
  happen: () => Promise<unknown>,
): Promise<number[]> {
  const over = new AbortController()
  const tookMs: number[] = []
  const reading = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!over.signal.aborted) {
        const ms = await timeGet(url, path)
        tookMs.push(ms)
        await delay(Math.max(0, everyMs - ms))
      }
    }),
  )
  await happen()
  over.abort()
  await reading
  return tookMs
}

/** How long one round over many active jobs takes. */
async function measureRound({ database }: Stage): Promise<Figure> {
  await database.query(
    `insert into fine_tunes
       (id, account_id, name, provider, provider_label, base_model, base_model_label, status, stage,
        source, example_count, training_bytes, hyperparameters, provider_job_id, next_sync_at)
     select new_id('ft'), accounts.id, 'n', 'openai', 'OpenAI', 'b', 'B', 'running', 'created',
            'upload', 10, 10, '{}', 'job-' || number, now()
     from accounts, generate_series(1, $1::int) as number`,
    [activeJobs],
  )
  const began = performance.now()
  await until('every job was asked for', 120_000, async () => {
    const [row] = await database.query<{ count: number }>(
      `select count(*)::int as count from fine_tunes where last_synced_at is null`,
    )
    return row?.count === 0
  })
  const seconds = (performance.now() - began) / 1_000
  return figure(
    `one background round over ${activeJobs} active fine-tunes`,
    `${round(seconds)} s`,
    `< ${targetRoundSeconds} s`,
    seconds < targetRoundSeconds,
  )
}

/** As large as it may be, in the chat format. */
function makeBody(): Buffer {
  const line = (number: number, filler: number): string =>
    JSON.stringify({
      messages: [
        { role: 'system', content: 'You answer the questions of people who run pumps.' },
        { role: 'user', content: `Ticket ${number}: what does this mean?` },
        { role: 'assistant', content: words.slice(0, filler) },
      ],
    })
  const words = 'The seal of the pump is worn; order two and change it on Friday. '.repeat(20)
  const bytesOfEach = Math.floor(bytes / examples) - 1
  const lines = Array.from({ length: examples }, (_, number) =>
    line(number, words.length - (line(number, words.length).length - bytesOfEach)),
  )
  const training_data = lines.join('\n').padEnd(bytes, '\n')
  if (Buffer.byteLength(training_data) !== bytes) throw new Error('The set has another size')
  return Buffer.from(
    JSON.stringify({
      name: 'Benchmark',
      base_model: 'gpt-4.1-mini-2025-04-14',
      source: 'upload',
      training_data,
    }),
  )
}

async function send(url: string, path: string, body: Buffer): Promise<void> {
  const answer = await request(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body,
  })
  const text = await answer.body.text()
  const data = (JSON.parse(text) as { data?: { example_count: number } }).data
  if (data?.example_count !== examples) throw new Error(`${path} answered ${text.slice(0, 500)}`)
}
