import { it } from 'node:test'
import { tryTools } from './tools-fire.ts'

/** 20,000 with `MUSTER_TEST_CALLS=20000`. */
const calls = Number(process.env['MUSTER_TEST_CALLS'] ?? 2_000)
const kills = Math.max(4, calls / 1_000)

it(
  'many calls of callers’ tools reach one outcome each, whatever is killed',
  { timeout: 300_000 + calls * 50 },
  (t) =>
    tryTools(t, {
      calls,
      workers: 3,
      killsOfWorkers: kills,
      killsOfServices: kills,
      killEveryMs: 3_000,
    }),
)
