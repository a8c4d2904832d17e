import { it } from 'node:test'
import { tryTools } from './tools-fire.ts'

/** At full size: `tools-under-fire.slow.test.ts`. */
it('calls of callers’ tools reach one outcome each, whatever is killed', (t) =>
  tryTools(t, { calls: 100, workers: 2, killsOfWorkers: 1, killsOfServices: 1, killEveryMs: 500 }))
