import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noUsage, addUsage } from '../../models/contract.ts'
import {
  failRun,
  failStep,
  finishStep,
  finishStepAndFail,
  isIdle,
  isTerminal,
  runStatuses,
  type Change,
} from './run.ts'
import { stepInput, type StepStart, runEvent } from './step.ts'
import { pluck } from '../../../test/pluck.ts'

const fence = { runId: 'run_1', accountId: 'acc_1', attempt: 3 }
const usage = { ...noUsage, tokensIn: 5, tokensOut: 2, costUsd: 0.5, tokensCached: 3 }
const step = (position: number): StepStart => ({
  id: `step_${position}`,
  position,
  role: `role${position}`,
  model: 'm',
  agentId: null,
  memory: [],
})
const types = (change: Change) => pluck(change.events, 'type')

describe('the state machine of a run', () => {
  it('knows what is final and what rests', () => {
    assert.deepEqual(runStatuses.filter(isTerminal), ['completed', 'failed'])
    assert.deepEqual(runStatuses.filter(isIdle), ['waiting_input', 'completed', 'failed'])
  })

  it('goes on to the next step', () => {
    const change = finishStep(fence, step(0), 'out', usage, step(1))
    assert.deepEqual(
      { ...change, events: types(change) },
      {
        ...fence,
        status: 'running',
        ended: { position: 0, model: 'm', output: 'out', error: null, usage },
        error: null,
        errorCode: null,
        next: step(1),
        wait: null,
        warnings: [],
        events: ['step.completed', 'step.started'],
      },
    )
    assert.deepEqual(change.events[0]?.data, {
      order: 0,
      role: 'role0',
      model: 'm',
      tokens_in: 5,
      tokens_out: 2,
      cost_usd: 0.5,
    })
  })

  it("warns of what is odd about a step's answer", () => {
    const warning = { code: 'tool_calls_unparsed' as const, message: 'calls as text' }
    const facts = { durationMs: 1, requestId: null, toolsHash: null, model: 'm', warning }
    const ending = { ...step(0), facts: { ...facts, finishReason: 'stop' as const } }
    assert.deepEqual(finishStep(fence, ending, 'out', usage, null).warnings, [
      { code: 'tool_calls_unparsed', message: 'step 1 (role0): calls as text', step_order: 0 },
    ])
  })

  it('completes behind the last step', () => {
    const change = finishStep(fence, step(1), 'out', usage, null)
    assert.equal(change.status, 'completed')
    assert.equal(change.next, null)
    assert.deepEqual(types(change), ['step.completed', 'run.completed'])
  })

  it('fails with the step that failed, naming it', () => {
    const change = failStep(fence, step(1), { code: 'step_failed', message: 'no' }, usage)
    assert.equal(change.status, 'failed')
    assert.equal(change.error, 'step 2 (role1): no')
    assert.equal(change.errorCode, 'step_failed')
    assert.deepEqual(change.ended, { position: 1, model: 'm', output: null, error: 'no', usage })
    assert.deepEqual(types(change), ['step.failed', 'run.failed'])
    assert.deepEqual(change.events[1]?.data, { error: change.error, error_code: 'step_failed' })
  })

  it('keeps the output of a step that went over the budget', () => {
    const change = finishStepAndFail(fence, step(0), 'out', usage, {
      code: 'budget_exceeded',
      message: 'too dear',
    })
    assert.equal(change.status, 'failed')
    assert.equal(change.ended?.output, 'out')
    assert.equal(change.error, 'too dear')
    assert.equal(change.errorCode, 'budget_exceeded')
    assert.equal(change.next, null)
    assert.deepEqual(types(change), ['step.completed', 'run.failed'])
  })

  it('fails between steps without one', () => {
    const failure = { code: 'cancelled', message: 'stopped' } as const
    const change = failRun(fence, failure)
    assert.equal(change.ended, null)
    assert.equal(change.error, 'stopped')
    assert.deepEqual(types(change), ['run.failed'])
    const begun = failRun(fence, failure, [runEvent(fence.runId, 'run.started')])
    assert.deepEqual(types(begun), ['run.started', 'run.failed'])
  })

  it('makes text from outside storable', () => {
    assert.equal(
      finishStep(fence, step(0), 'a\0b\ud800', usage, null).ended?.output,
      'a\ufffdb\ufffd',
    )
    const failure = { code: 'step_failed', message: '\0' } as const
    assert.equal(failStep(fence, step(0), failure).ended?.error, '\ufffd')
  })

  it('adds usage', () => {
    assert.deepEqual(addUsage(usage, usage), {
      ...usage,
      tokensIn: 10,
      tokensOut: 4,
      costUsd: 1,
      tokensCached: 6,
    })
  })
})

describe('the input of a step', () => {
  it('is the run input for the first', () => {
    assert.equal(stepInput(' verbatim \n', []), ' verbatim \n')
  })

  it('has each prior output under its role for the others', () => {
    const prior = [
      { role: 'a', output: 'one' },
      { role: 'b', output: 'two' },
    ]
    assert.equal(
      stepInput('in', prior),
      'in\n\n## Output of a (step 0)\n\none\n\n## Output of b (step 1)\n\ntwo',
    )
  })
})
