import assert from 'node:assert/strict'
import { it } from 'node:test'
import pino from 'pino'
import type { CallingRun, Tool, ToolCallOptions } from '../../tools/contract.ts'
import { callTool } from './call-tool.ts'

it('a call knows its run; progress gives it its time anew, and the limit that ended it is named', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let options: ToolCallOptions | undefined
  const tool = {
    call: (_, given) => {
      options = given
      const { promise, resolve } = Promise.withResolvers<{ status: 'unknown'; output: string }>()
      given.signal.addEventListener('abort', () => {
        resolve({ status: 'unknown', output: (given.signal.reason as Error).message })
      })
      return promise
    },
  } as Pick<Tool, 'call'> as Tool
  const call = { id: 'call_1', input: {}, sensitive: true, decision: null }
  const run: CallingRun = {
    runId: 'run_1',
    attempt: 1,
    findPerson: async () => null,
    hasOtherCalls: async () => false,
  }
  const begin = () =>
    callTool(tool, call, {
      run,
      signal: new AbortController().signal,
      log: pino({ level: 'silent' }),
      timeoutMs: 30_000,
      collected: { bytes: 0 },
    })
  const silent = begin()
  assert.deepEqual([options?.run, options?.idempotencyKey], [run, 'call_1'])
  t.mock.timers.tick(30_000)
  assert.equal((await silent).output, 'it gave no answer within 30 s')
  const reporting = begin()
  t.mock.timers.tick(20_000)
  options?.onProgress?.()
  t.mock.timers.tick(20_000)
  assert.equal(options?.signal.aborted, false)
  t.mock.timers.tick(10_000)
  assert.equal((await reporting).output, 'it reported no progress for 30 s')
})
