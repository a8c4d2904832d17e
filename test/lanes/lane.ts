import { tracingChannel } from 'node:diagnostics_channel'
import { resolve } from 'node:path'
import { afterEach, describe, test, type SuiteContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { watchLeaks } from './leaks.ts'
import { claimFiles } from './queue.ts'
import { laneStack } from './shared.ts'

/** Each file is a suite, so that its hooks are its own; the next one is loaded after it. */
let isBusy = false
process.once('exit', () => {
  // A test that exits the process with success has failed.
  if (isBusy) process.exitCode ||= 1
})
for (const { file, end } of claimFiles()) {
  isBusy = true
  const { isSound, hasPassed, findLeaks } = await runSuite(file)
  const leaks = await findLeaks()
  end(isSound && hasPassed && leaks.length === 0)
  isBusy = false
  // The runner counts tests, but not suites that fail by themselves.
  if (!isSound) {
    await test(`${file} loads, and its hooks succeed`, () => {
      throw new Error('Its suite failed, see above')
    })
  }
  if (leaks.length > 0) {
    await test(`${file} leaves its process as it was`, () => {
      throw new Error(`It has left ${leaks.join(', ')}`)
    })
  }
}
await laneStack.disposeAsync()

interface Ended {
  /** The file was loaded and its outermost hooks succeeded. */
  isSound: boolean
  /** Its tests succeeded. */
  hasPassed: boolean
  findLeaks: () => Promise<string[]>
}

async function runSuite(file: string): Promise<Ended> {
  let hasPassed = true
  let findLeaks = (): Promise<string[]> => Promise.resolve([])
  const { promise, resolve: onEnded } = Promise.withResolvers<boolean>()
  let suite: SuiteContext | undefined
  const onEnd = (message: unknown): void => {
    const { type, name } = message as { type: string; name: string }
    if (type === 'suite' && name === file) onEnded(suite?.passed === true)
  }
  const channel = tracingChannel('node.test').end
  channel.subscribe(onEnd)
  describe(file, async (context) => {
    suite = context
    // Created with the first suite, for which the runner adds its own listeners.
    findLeaks = watchLeaks()
    afterEach((one) => {
      if ('passed' in one && !one.passed) hasPassed = false
    })
    await import(pathToFileURL(resolve(file)).href)
  })
  const isSound = await promise
  channel.unsubscribe(onEnd)
  return { isSound, hasPassed, findLeaks }
}
