import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Answer, Question } from './child-question.ts'

/**
 * Preloaded into processes of Muster and its peers: each ends with the process that started it, and
 * answers the question `memory` with the live bytes after a full garbage collection, in the heap
 * and in buffers.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

process.on('message', ({ id, kind }: Question) => {
  if (kind !== 'memory') return
  // The second pass frees what the first one finalized.
  collectGarbage()
  setImmediate(() => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    process.send?.({ id, value: heapUsed + external } satisfies Answer)
  })
})
process.channel?.unref()
