import type { Muster, RunEvent, RunWithSteps, StepText } from '../sdk/index.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'
import { interrupted } from './failure.ts'
import type { Output } from './output.ts'
import type { RunProgress } from './run-progress.ts'
import { programName, shell } from './shell.ts'

export interface FollowOptions {
  onEvent?: (event: RunEvent) => void
  /** Receives the text of models; then the view does not show it. */
  onText?: (text: StepText) => void
  /** Stops following; by default Ctrl-C does, and the run continues. */
  signal?: AbortSignal
}

/** Follows a run after an event until it is idle, and returns it. */
async function followRun(
  muster: Muster,
  runId: string,
  view: RunProgress,
  after: number,
  { onEvent, onText, signal: givenSignal }: FollowOptions,
): Promise<RunWithSteps> {
  const goesOn = `the run continues. Watch it again: ${programName()} runs watch ${runId}`
  using interrupt = abortOnSignal(['SIGINT'], interrupted(`Stopped watching; ${goesOn}`))
  const signal = givenSignal ?? interrupt.signal
  try {
    for await (const event of muster.runs.stream(runId, {
      after,
      signal,
      ...(view.isLive && { onText: (text) => view.text(text) }),
      ...(onText && { onText }),
    })) {
      onEvent?.(event)
      view.event(event)
      if (event.type !== 'run.waiting_input') continue
      // The log of a run that was answered long ago contains such events too.
      const run = await muster.runs.retrieve(runId, { signal })
      if (run.status === 'waiting_input') return rest(run)
    }
    return rest(await muster.runs.retrieve(runId, { signal }))
  } finally {
    view.close()
  }

  function rest(run: RunWithSteps): RunWithSteps {
    view.rest(run)
    return run
  }
}

/** Follows a run to its end, through each pause that `answer` ends. */
export async function followThrough(
  muster: Muster,
  runId: string,
  view: RunProgress,
  answer: (run: RunWithSteps) => Promise<boolean>,
  options: FollowOptions = {},
): Promise<RunWithSteps> {
  let after = 0
  const onEvent = (event: RunEvent): void => {
    after = event.sequence
    options.onEvent?.(event)
  }
  for (;;) {
    const run = await followRun(muster, runId, view, after, { ...options, onEvent })
    if (run.status !== 'waiting_input' || !(await answer(run))) return run
  }
}

/** Shows which runs of the account change, one line each, until Ctrl-C. */
export async function followAccount(muster: Muster, out: Output): Promise<void> {
  using interrupt = abortOnSignal(['SIGINT'], interrupted('Stopped watching.'))
  const stream = muster.events.stream({
    signal: interrupt.signal,
    onOpen: () => out.note('Changed runs are shown here. Ctrl-C stops watching.'),
    onBroken: () => out.note('The connection broke; changes are not shown until it is back.'),
  })
  for await (const hint of stream) {
    if (out.isJson) out.jsonLine(hint)
    else if (hint.type === 'run.changed')
      shell().stdout.write(`${hint.run_id}  ${hint.status.padEnd(13)}  event ${hint.sequence}\n`)
    else if (hint.pending_id !== null)
      out.note(`Answer it: ${programName()} respond ${hint.run_id}`)
  }
}

/**
 * npm passes on a Ctrl-C that the terminal has already sent: a second signal this soon is the same
 * one.
 */
const echoMs = 500

/** A second signal of the same kind ends the process at once. */
export function abortOnSignal(
  names: NodeJS.Signals[],
  reason: Error,
): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const caller = shell()
  const onSignal = () => {
    controller.abort(reason)
    setTimeout(forget, echoMs).unref()
  }
  const forget = () => {
    for (const name of names) caller.off(name, onSignal)
  }
  for (const name of names) caller.on(name, onSignal)
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => controller.signal.aborted || forget(),
  }
}

/** The exit code after a followed run. */
export function exitCodeOf(run: RunWithSteps, { strict = false } = {}): ExitCode {
  switch (run.status) {
    case 'completed':
      return strict && run.warnings.length > 0 ? exitCodes.runWarned : exitCodes.ok
    case 'failed':
      return exitCodes.runFailed
    case 'waiting_input':
      return exitCodes.runWaits
    default:
      return exitCodes.error
  }
}
