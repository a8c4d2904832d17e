import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Answer, Question } from './child-question.ts'

/**
 * Preloaded into processes of Muster and its peers: each ends with the process that started it, and
 * answers two questions: `memory` with the live bytes after a full garbage collection, in the heap
 * and in buffers, and `resources` with the number of timers, sockets and the like that keep it alive.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

process.on('message', ({ id, kind }: Question) => {
  const answer = (value: number): void => void process.send?.({ id, value } satisfies Answer)
  if (kind === 'resources') answer(process.getActiveResourcesInfo().length)
  if (kind !== 'memory') return
  // The second pass frees what the first one finalized.
  collectGarbage()
  setImmediate(() => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    answer(heapUsed + external)
  })
})
process.channel?.unref()
