import { setTimeout as delay } from 'node:timers/promises'
import yoctoSpinner from 'yocto-spinner'
import type { FineTune, FineTuneEvent, Muster } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError } from '../failure.ts'
import { abortOnSignal } from '../follow.ts'
import { elapsed } from '../format.ts'
import { clean, dim, oneLine, type Output } from '../output.ts'
import { statusOf } from './describe.ts'
import { shell } from '../shell.ts'

const firstPauseMs = 1_000
const longestPauseMs = 10_000

/** Follows a job until it ends: its provider's log as lines, below them what it does now. */
export async function watchFineTune(muster: Muster, id: string, out: Output): Promise<FineTune> {
  using interrupt = abortOnSignal(['SIGINT'], detached(id))
  const { signal } = interrupt
  using progress = startProgress(out)
  const readNew = followLog(muster, id, signal)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    const job = await muster.fine_tunes.retrieve(id, { signal })
    for await (const { level, message } of readNew()) {
      progress.line(level === 'info' ? message : `${level}: ${message}`)
    }
    progress.now(job)
    if (['succeeded', 'failed', 'cancelled'].includes(job.status)) return job
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/**
 * Each call gives the events that came since the last one. A cursor comes only with a page that has a
 * next one, so the last page is read again and what it had is left out.
 */
function followLog(
  muster: Muster,
  id: string,
  signal: AbortSignal,
): () => AsyncGenerator<FineTuneEvent, void, undefined> {
  let readPage = () => muster.fine_tunes.events(id, { limit: 100 }, { signal })
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

interface Progress extends Disposable {
  line(text: string): void
  now(job: FineTune): void
}

/** One line that moves for terminals, one for each change elsewhere, none with --json. */
function startProgress(out: Output): Progress {
  const stream = shell().stderr
  const isLive = stream.isTTY && shell().env['TERM'] !== 'dumb' && !('CI' in shell().env)
  if (out.isJson || !isLive) {
    let last = ''
    return {
      line: (text) => out.note(oneLine(text, 1_000)),
      now: (job) => {
        if (statusOf(job) !== last) out.note((last = clean(statusOf(job))))
      },
      [Symbol.dispose]: () => {},
    }
  }
  const spinner = yoctoSpinner({ stream, handleSignals: false, text: '' }).start()
  return {
    line: (text) => {
      spinner.stop()
      stream.write(`${oneLine(text, 1_000)}\n`)
      spinner.start()
    },
    now: (job) => {
      spinner.text = `${clean(statusOf(job))}  ${dim(elapsed(job.created_at, job.finished_at ?? null))}`
    },
    [Symbol.dispose]: () => spinner.stop(),
  }
}

function detached(id: string): CliError {
  return new CliError(
    exitCodes.interrupted,
    'interrupted',
    `Stopped watching; the job goes on. Watch it again: muster fine-tunes watch ${id}`,
  )
}
