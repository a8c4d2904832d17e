import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Answer, Question } from './child-question.ts'

/**
 * Preloaded into Muster's processes and its peers': none outlives the one that started it, however that
 * ended, and each answers the question `memory` with the bytes that live after a full garbage
 * collection, in the heap and in the buffers beside it.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

process.on('message', ({ id, kind }: Question) => {
  if (kind !== 'memory') return
  // What the first pass finalises, the second frees.
  collectGarbage()
  setImmediate(() => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    process.send?.({ id, value: heapUsed + external } satisfies Answer)
  })
})
process.channel?.unref()
