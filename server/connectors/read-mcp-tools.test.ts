import assert from 'node:assert/strict'
import { it } from 'node:test'
import { until } from '../../rig/until.ts'
import type { Context } from '../context.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import { testSandbox } from '../sandbox/test-sandbox.ts'
import { testLimits } from '../start/test-limits.ts'
import { readMcpTools } from './read-mcp-tools.ts'

it('few servers are asked at a time, and those of one account never are all of them', async () => {
  const asked: string[] = []
  const gate = Promise.withResolvers<never>()
  gate.promise.catch(() => {})
  const outbound = {
    check: async () => undefined,
    stream: (url: URL) => {
      asked.push(url.host)
      return gate.promise
    },
  }
  const limits = testLimits()
  const sandbox = testSandbox()
  const read = (account: string, number: number) => {
    const given = { accountId: account, action: 'connect', outbound, limits, sandbox }
    const ctx = given as unknown as Context
    const server = { url: `https://${account}${number}.example/`, headers: {} }
    return readMcpTools(ctx, server, undefined).then(
      () => 'read',
      (error: Error) => error.name,
    )
  }
  const ofOne = Array.from({ length: 53 }, (_, number) => read('a', number))
  const ofAnother = [read('b', 0), read('b', 1), read('b', 2)]
  await until('both have what they may', 20_000, () => asked.length >= 4)
  await new Promise(setImmediate)
  assert.deepEqual(asked.toSorted(), ['a0.example', 'a1.example', 'b0.example', 'b1.example'])
  gate.reject(new OutboundError('closed', 'gone'))
  const outcomes = await Promise.all([...ofOne, ...ofAnother])
  assert.equal(outcomes.filter((outcome) => outcome === 'McpError').length, 55)
  assert.equal(outcomes.filter((outcome) => outcome === 'DomainError').length, 1, 'a line of fifty')
})
