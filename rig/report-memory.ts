import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Answer, Question } from './child-question.ts'

/**
 * Preloaded into measured processes: answers the question `memory` with the bytes that live after a
 * full garbage collection, in the heap and in the buffers beside it.
 */
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
