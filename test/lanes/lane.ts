import { tracingChannel } from 'node:diagnostics_channel'
import { resolve } from 'node:path'
import { afterEach, describe, test, type SuiteContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { claimFiles } from './queue.ts'
import { laneStack } from './shared.ts'

/** Each file is a suite, so that its hooks are its own; the next is loaded when it has ended. */
let isBusy = false
process.once('exit', () => {
  // A test that ends the process with success has not succeeded.
  if (isBusy) process.exitCode ||= 1
})
for (const { file, end } of claimFiles()) {
  isBusy = true
  const { isSound, hasPassed } = await runSuite(file)
  end(isSound && hasPassed)
  isBusy = false
  // The runner counts tests, and not suites that fail by themselves.
  if (!isSound) {
    await test(`${file} loads, and its hooks succeed`, () => {
      throw new Error('Its suite failed, see above')
    })
  }
}
await laneStack.disposeAsync()

/** `isSound`: the file could be loaded and its outermost hooks succeeded. `hasPassed`: its tests did. */
async function runSuite(file: string): Promise<{ isSound: boolean; hasPassed: boolean }> {
  let hasPassed = true
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
    afterEach((one) => {
      if ('passed' in one && !one.passed) hasPassed = false
    })
    await import(pathToFileURL(resolve(file)).href)
  })
  const isSound = await promise
  channel.unsubscribe(onEnd)
  return { isSound, hasPassed }
}
