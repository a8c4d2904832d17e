import { setTimeout as delay } from 'node:timers/promises'
import type { FineTune, FineTuneEvent, Muster } from '../sdk/index.ts'
import { interrupted } from './failure.ts'
import { abortOnSignal } from './follow.ts'
import { elapsed } from './format.ts'
import { clean, dim, oneLine, type Output } from './output.ts'
import { StatusLine } from './status-line.ts'

const firstPauseMs = 1_000
const longestPauseMs = 10_000

/** Follows a job until it ends: its provider's log as lines, with its current state below. */
export async function watchFineTune(muster: Muster, id: string, out: Output): Promise<FineTune> {
  const goesOn = `the job continues. Watch it again: muster fine-tunes watch ${id}`
  using interrupt = abortOnSignal(['SIGINT'], interrupted(`Stopped watching; ${goesOn}`))
  const { signal } = interrupt
  let now = ''
  let job: FineTune | undefined
  using status = new StatusLine(out, () =>
    job === undefined ? '' : `${now}  ${dim(elapsed(job.created_at, job.finished_at ?? null))}`,
  )
  status.start()
  const readNew = followLog(muster, id, signal)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    job = await muster.fine_tunes.retrieve(id, { signal })
    for await (const { level, message } of readNew()) {
      status.line(oneLine(level === 'info' ? message : `${level}: ${message}`, 1_000))
    }
    const last = now
    now = clean(statusOf(job))
    if (!status.isLive && now !== last) status.line(now)
    if (['succeeded', 'failed', 'cancelled'].includes(job.status)) return job
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/**
 * Each call returns the events since the last one. Only pages with a next page have a cursor, so
 * the last page is read again, and known events are left out.
 */
function followLog(
  muster: Muster,
  id: string,
  signal: AbortSignal,
): () => AsyncGenerator<FineTuneEvent, void, undefined> {
  let readPage = () => muster.fine_tunes.events(id, { limit: 100, signal })
  let given = 0
  return async function* () {
    for (;;) {
      const page = await readPage()
      yield* page.slice(given)
      given = Math.max(given, page.length)
      if (!page.hasNext) return
      readPage = async () => (await page.next()) ?? page
      given = 0
    }
  }
}

export function statusOf({ status, provider_status: word }: FineTune): string {
  return word === undefined || word.toLowerCase() === status ? status : `${status} (${word})`
}
