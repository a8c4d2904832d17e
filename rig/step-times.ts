import type { Call } from './model-process.ts'
import { percentile } from './measure.ts'

/**
 * Runs of a crew of two, with numbers from `firstTag` on, of which `open` were in progress at a
 * time.
 */
export interface Played {
  firstTag: number
  count: number
  open: number
}

/**
 * Figures from the model server's calls: the times from when a run's first answer left until its
 * second call arrived, and the second calls per second.
 */
export function measureSteps(
  calls: readonly Call[],
  { firstTag, count, open }: Played,
): { addedMs: number[]; perSecond: number } {
  // While the load starts and ends, fewer runs are open.
  const isSteady = ({ tag }: Call): boolean =>
    tag >= firstTag + open && tag < firstTag + count - open
  const first = new Map(calls.filter(({ step }) => step === 0).map((call) => [call.tag, call]))
  const seconds = calls.filter((call) => call.step === 1 && isSteady(call))
  const arrivals = seconds.map(({ arrivedAt }) => arrivedAt)
  const tookSeconds = (percentile(arrivals, 1) - percentile(arrivals, 0)) / 1_000
  return {
    addedMs: seconds.map(
      ({ tag, arrivedAt }) => arrivedAt - (first.get(tag)?.leftAt ?? Number.NaN),
    ),
    perSecond: seconds.length / tookSeconds,
  }
}
