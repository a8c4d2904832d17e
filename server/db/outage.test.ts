import assert from 'node:assert/strict'
import { it } from 'node:test'
import pino from 'pino'
import { logFailure, outageOf } from './outage.ts'

const linesOf = (error: unknown): Record<string, unknown>[] => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  logFailure(log, error, 'executor failed', { runId: 'run_1' })
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

it('a database that is slow or away is told in a line, without a stack', () => {
  for (const error of [
    new Error('timeout exceeded when trying to connect'),
    new Error('Connection terminated due to connection timeout'),
    Object.assign(new Error('cannot execute UPDATE in a read-only transaction'), { code: '25006' }),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  ]) {
    const [line, ...others] = linesOf(error)
    assert.equal(others.length, 0)
    assert.deepEqual(
      [line?.['level'], line?.['msg'], line?.['runId']],
      [40, 'executor failed', 'run_1'],
    )
    assert.equal(line?.['why'], error.message)
    assert.doesNotMatch(JSON.stringify(line), /stack|outage\.test/)
  }
})

it('any other failure is told whole', () => {
  const error = new TypeError('x is not a function')
  assert.equal(outageOf(error), undefined)
  const [line] = linesOf(error)
  assert.equal(line?.['level'], 50)
  assert.match(JSON.stringify(line), /outage\.test/)
})
