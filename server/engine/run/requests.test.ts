import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashReport, judgeReport, lapse, type Report, type RequestState } from './requests.ts'

const claimed: RequestState = {
  status: 'claimed',
  tries: 1,
  isInTime: true,
  isRunOver: false,
  isUndecided: true,
  lease: 'lease_1',
  reportHash: null,
}
const output: Report = { kind: 'output', output: { sent: true } }
const failure = (isRetryable: boolean): Report => ({ kind: 'error', message: 'no', isRetryable })
const judge = (state: Partial<RequestState>, report: Report = output, lease?: string): string => {
  const judgement = judgeReport({ ...claimed, ...state }, report, lease)
  return judgement.kind === 'refused' ? judgement.code : judgement.kind
}

describe('a report about a call of a tool of the caller', () => {
  it('settles the call, whoever sends it, while its outcome is open', () => {
    for (const status of ['requested', 'claimed', 'unknown'] as const) {
      assert.equal(judge({ status }), 'settle')
    }
    assert.equal(judge({}, failure(false)), 'settle')
  })

  it('is refused once the outcome is fixed', () => {
    assert.equal(judge({ status: 'cancelled' }), 'tool_call_cancelled')
    assert.equal(judge({ isRunOver: true }), 'tool_call_cancelled')
    assert.equal(judge({ status: 'failed' }), 'tool_call_expired')
    assert.equal(judge({ isInTime: false }), 'tool_call_expired')
    assert.equal(judge({ status: 'unknown', isUndecided: false }), 'tool_call_answered')
    assert.equal(judge({ status: 'claimed', isUndecided: false }), 'settle')
  })

  it('is repeated if it is the one that closed the call, and refused if it is another', () => {
    const closed = { status: 'succeeded', reportHash: hashReport(output) } as const
    assert.equal(judge(closed), 'repeated')
    assert.equal(judge(closed, { kind: 'output', output: { sent: false } }), 'tool_call_answered')
  })

  it('gives the call to another worker if its holder says that nothing happened, five times', () => {
    assert.equal(judge({}, failure(true), 'lease_1'), 'again')
    assert.equal(judge({}, failure(true), 'lease_2'), 'lease_lost')
    assert.equal(judge({}, failure(true)), 'lease_lost')
    assert.equal(judge({ tries: 4 }, failure(true), 'lease_1'), 'again')
    assert.equal(judge({ tries: 5 }, failure(true), 'lease_1'), 'settle')
    assert.equal(judge({ status: 'requested', lease: null }, failure(true)), 'again')
  })
})

it('a call whose lease or time has ended is given out again, failed or unknown', () => {
  const kindOf = (status: 'requested' | 'claimed', sensitive: boolean, isInTime: boolean) =>
    lapse({ status, sensitive, isInTime, timeoutSeconds: 60 }).kind
  assert.equal(kindOf('requested', true, false), 'failed')
  assert.equal(kindOf('claimed', false, true), 'again')
  assert.equal(kindOf('claimed', false, false), 'failed')
  assert.equal(kindOf('claimed', true, true), 'unknown')
  assert.equal(kindOf('claimed', true, false), 'unknown')
})
