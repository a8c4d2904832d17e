import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultHumanInTheLoop as settings } from '../../workflows/definition.ts'
import type { ApprovalsFloor, RuleDecision } from './definition.ts'
import {
  abandon,
  askAgain,
  begin,
  callStatuses,
  decide,
  markInDoubt,
  expire,
  isOutdated,
  isStale,
  judgeCall,
  maxCallsAtOnce,
  propose,
  proposeFaulty,
  complete,
  type CallStatus,
  type JudgedOutcome,
} from './ledger.ts'
import { boundedOutput } from './messages.ts'

const policy = (enabled: boolean, approvals: 'sensitive' | 'all' | 'never') => ({
  ...settings,
  enabled,
  approvals,
})

/** A call in a state, with these fields. */
const call = (status: CallStatus, fields: Partial<Parameters<typeof complete>[0]> = {}) => ({
  tool: 'email.send',
  sensitive: true,
  decision: null,
  output: null,
  unknownReason: null,
  status,
  ...fields,
})

describe('a proposed call', () => {
  // [human-in-the-loop, approvals, status of a reading call, status of a sensitive one]
  const table: [boolean, 'sensitive' | 'all' | 'never', CallStatus, CallStatus][] = [
    [true, 'sensitive', 'executing', 'proposed'],
    [true, 'all', 'proposed', 'proposed'],
    [true, 'never', 'executing', 'executing'],
    [false, 'sensitive', 'executing', 'rejected'],
    [false, 'all', 'executing', 'rejected'],
    [false, 'never', 'executing', 'executing'],
  ]
  for (const [enabled, approvals, reading, writing] of table) {
    it(`is ${reading} or ${writing} with ${approvals} and people ${enabled ? 'there' : 'away'}`, () => {
      const enter = (sensitive: boolean) => {
        const options = { policy: policy(enabled, approvals), floor: 'none' as const, underWay: 0 }
        return propose({ tool: 'a.b', sensitive }, options)
      }
      assert.equal(enter(false).status, reading)
      assert.equal(enter(true).status, writing)
      assert.equal(enter(true).decision, writing === 'rejected' ? 'refused' : null)
      assert.equal(enter(true).output === null, writing !== 'rejected')
    })
  }

  it('is held to the floor of the account, and refused where nobody may be asked', () => {
    const enter = (enabled: boolean, floor: 'sensitive' | 'all', sensitive: boolean) =>
      propose({ tool: 'a.b', sensitive }, { policy: policy(enabled, 'never'), floor, underWay: 0 })
        .status
    assert.deepEqual(
      [enter(true, 'sensitive', true), enter(true, 'sensitive', false)],
      ['proposed', 'executing'],
    )
    assert.deepEqual(
      [enter(true, 'all', true), enter(true, 'all', false)],
      ['proposed', 'proposed'],
    )
    assert.deepEqual(
      [enter(false, 'sensitive', true), enter(false, 'sensitive', false)],
      ['rejected', 'executing'],
    )
    assert.equal(enter(false, 'all', false), 'rejected')
    const own = { tool: 'remember', sensitive: false }
    const note = (approvals: 'never' | 'all', floor: ApprovalsFloor) =>
      propose(own, { policy: policy(true, approvals), floor, underWay: 0 }).status
    assert.deepEqual([note('never', 'all'), note('never', 'sensitive')], ['proposed', 'executing'])
    assert.equal(note('all', 'sensitive'), 'proposed', 'a stricter workflow stays stricter')
  })

  it('may have been done already in a past that was lost', () => {
    const enter = (approvals: 'sensitive' | 'never', sensitive: boolean, enabled = true) =>
      propose(
        { tool: 'a.b', sensitive },
        { policy: policy(enabled, approvals), floor: 'none', underWay: 0, isDoubted: true },
      )
    const unknown = { status: 'unknown', output: null, decision: null }
    assert.deepEqual([enter('sensitive', true), enter('never', true)], [unknown, unknown])
    assert.equal(enter('sensitive', false).status, 'executing')
    assert.match(String(enter('never', true, false).output), /It is not repeated/)
  })

  it('waits for a person where the agent asks', () => {
    const options = { policy: policy(true, 'never'), floor: 'none' as const, underWay: 0 }
    const { status } = propose({ tool: 'request_input', sensitive: false }, options)
    assert.equal(status, 'proposed')
  })

  it('goes out later where enough of its turn are under way', () => {
    const options = { policy: policy(true, 'never'), floor: 'none' as const }
    const enter = (underWay: number, tool = 'crm.write') =>
      propose(call('proposed', { tool }), { ...options, underWay })
    assert.equal(enter(maxCallsAtOnce - 1).status, 'executing')
    assert.equal(enter(maxCallsAtOnce).status, 'approved')
    assert.equal(enter(0, 'email.send').status, 'approved', 'mails are counted when they begin')
  })

  it('is answered at once where it cannot be made', () => {
    assert.deepEqual(proposeFaulty('no tool'), {
      status: 'failed',
      output: 'This call was not made: no tool.',
      decision: null,
    })
  })
})

describe('a call that a rule decides about', () => {
  // [rule, floor, whether people may be asked, outcome of a reading call, of a sensitive one]
  const table: [RuleDecision, ApprovalsFloor, boolean, JudgedOutcome, JudgedOutcome][] = [
    ['allow', 'none', true, 'execute', 'execute'],
    ['allow', 'none', false, 'execute', 'execute'],
    ['allow', 'sensitive', true, 'execute', 'ask'],
    ['allow', 'sensitive', false, 'execute', 'refuse'],
    ['allow', 'all', true, 'ask', 'ask'],
    ['allow', 'all', false, 'refuse', 'refuse'],
  ]
  for (const floor of ['none', 'sensitive', 'all'] as const) {
    table.push(['ask', floor, true, 'ask', 'ask'], ['ask', floor, false, 'refuse', 'refuse'])
    table.push(['block', floor, true, 'refuse', 'refuse'])
    table.push(['block', floor, false, 'refuse', 'refuse'])
  }
  for (const [rule, floor, enabled, reading, writing] of table) {
    const people = enabled ? 'there' : 'away'
    it(`is ${reading} or ${writing} with ${rule}, floor ${floor} and people ${people}, whatever the workflow says`, () => {
      for (const approvals of ['sensitive', 'all', 'never'] as const) {
        const outcomes = [false, true].map((sensitive) =>
          judgeCall({ tool: 'a.b', sensitive }, policy(enabled, approvals), floor, rule),
        )
        assert.deepEqual(outcomes, [reading, writing], approvals)
      }
    })
  }
})

describe('a call', () => {
  const input = { action: 'input', input: 'Paris' } as const
  const approve = { action: 'approve', isEdited: false } as const
  const reject = { action: 'reject', reason: 'no' } as const
  const result = { status: 'succeeded', output: 'sent' } as const
  const people = { asksPeople: true }
  const verbs: [string, CallStatus[], (from: ReturnType<typeof call>) => unknown][] = [
    ['begin', ['approved'], begin],
    ['complete', ['executing', 'unknown'], (from) => complete(from, result, people)],
    ['decide', ['proposed', 'unknown'], (from) => decide(from, approve)],
    ['expire', ['proposed', 'unknown'], expire],
    ['doubt', ['proposed', 'approved'], markInDoubt],
    ['abandon', ['proposed', 'approved', 'executing', 'unknown'], abandon],
  ]
  for (const [verb, allowed, move] of verbs) {
    it(`is to ${verb} only while it is ${allowed.join(' or ')} and has no answer`, () => {
      for (const status of callStatuses) {
        const isAllowed = allowed.includes(status)
        if (isAllowed) assert.doesNotThrow(() => move(call(status)))
        else assert.throws(() => move(call(status)), new RegExp(`Cannot ${verb} a call: it is`))
        assert.throws(() => move(call(status, { output: 'x' })), /and answered/)
      }
    })
  }

  it('goes out as it was decided', () => {
    assert.deepEqual(begin(call('approved', { decision: 'edited' })), {
      status: 'executing',
      output: null,
      decision: 'edited',
    })
  })

  it('comes back with its answer, which nobody else knows', () => {
    const from = call('executing', { decision: 'approved' })
    assert.deepEqual(complete(from, result, people), {
      ...result,
      unknownReason: null,
      decision: 'approved',
    })
    const unknown = { status: 'unknown', output: 'cut off' } as const
    const asked = complete(from, unknown, people)
    assert.deepEqual([asked.output, asked.unknownReason], [null, 'cut off'], 'a person is asked')
    const open = call('unknown', { unknownReason: 'cut off' })
    for (const ended of [
      decide(open, { action: 'reject', reason: undefined }),
      expire(open),
      abandon(open),
    ]) {
      assert.match(String(ended.output), /\(cut off\)/, 'and the agent gets the reason then')
    }
    const { status, output } = complete(from, unknown, { asksPeople: false })
    assert.equal(status, 'unknown')
    assert.match(String(output), /^It is unknown whether .* \(cut off\)$/)
  })

  it('is decided by an answer, an edit, an approval or a rejection', () => {
    const decided = (status: CallStatus, answer: Parameters<typeof decide>[1]) => {
      const { decision, status: after, output } = decide(call(status), answer)
      return [decision, after, output === null]
    }
    assert.deepEqual(decided('proposed', input), ['answered', 'succeeded', false])
    assert.deepEqual(decided('proposed', approve), ['approved', 'approved', true])
    assert.deepEqual(decided('proposed', { ...approve, isEdited: true }), [
      'edited',
      'approved',
      true,
    ])
    assert.deepEqual(decided('proposed', reject), ['rejected', 'rejected', false])
    assert.deepEqual(decided('unknown', approve), ['approved', 'approved', true])
    assert.deepEqual(decided('unknown', reject), ['rejected', 'unknown', false])
    assert.throws(() => decide(call('unknown'), { ...approve, isEdited: true }), /not edited/)
    assert.match(String(decide(call('proposed'), reject).output), /rejected .* Reason: no$/)
  })

  it('expires without a decision of a person', () => {
    assert.equal(expire(call('proposed')).status, 'rejected')
    assert.match(
      String(expire(call('proposed', { tool: 'request_input' })).output),
      /Go on without/,
    )
    assert.deepEqual(
      [expire(call('unknown')).decision, expire(call('unknown')).status],
      ['expired', 'unknown'],
    )
  })

  it('that its run leaves behind was not done, or may have been', () => {
    const left = (status: CallStatus, sensitive = true) =>
      abandon(call(status, { sensitive })).status
    assert.deepEqual(
      [left('proposed'), left('approved'), left('executing'), left('unknown')],
      ['rejected', 'rejected', 'unknown', 'unknown'],
    )
    assert.equal(left('executing', false), 'failed')
  })
})

it('an open call of a resumed run is settled if it may have been made, or if nobody may be asked', () => {
  const stale = (asksPeople: boolean, isRepeatable = false, sensitive = true) =>
    callStatuses.filter((status) => isStale({ status, sensitive }, { asksPeople, isRepeatable }))
  assert.deepEqual(stale(true), ['executing'])
  assert.deepEqual(stale(false), ['executing', 'unknown'])
  assert.deepEqual([stale(true, true), stale(false, true)], [[], ['unknown']])
  assert.deepEqual([stale(true, false, false), stale(false, false, false)], [[], []])
})

describe('a call whose action or connection has changed', () => {
  const approved = { decision: 'approved' as const, timesMade: 0 }

  it('is outdated where a person was asked for it or will be', () => {
    const is = (status: CallStatus, fields = {}) =>
      isOutdated({ ...call(status, fields), toolVersion: 'then' }, 'now')
    assert.deepEqual(
      [is('proposed'), is('unknown'), is('approved', approved), is('executing', approved)],
      [true, true, true, true],
    )
    assert.equal(is('approved'), false, 'nobody was asked')
    assert.equal(is('succeeded', { ...approved, output: 'ok' }), false)
    assert.equal(isOutdated({ ...call('proposed'), toolVersion: 'now' }, 'now'), false)
  })

  it('is asked for anew, whatever was decided', () => {
    const open = { output: null, decision: null }
    const anew = (status: CallStatus, fields = {}) =>
      askAgain({ ...call(status, { ...approved, ...fields }), timesMade: 0, ...fields }, undefined)
    assert.deepEqual(anew('approved'), { status: 'proposed', ...open })
    assert.deepEqual(anew('approved', { timesMade: 1 }), { status: 'unknown', ...open })
    assert.deepEqual(anew('unknown'), { status: 'unknown', ...open })
    assert.deepEqual(anew('executing', { sensitive: false, timesMade: 1 }).status, 'proposed')
    const inDoubt = (sensitive: boolean) =>
      askAgain({ ...call('approved', { sensitive }), timesMade: 0 }, undefined, true).status
    assert.deepEqual([inDoubt(true), inDoubt(false)], ['unknown', 'proposed'])
  })

  it('is answered to the agent where its arguments no longer fit', () => {
    const wrong = 'amount must be string'
    const told = askAgain({ ...call('approved', approved), ...approved }, wrong)
    assert.deepEqual([told.status, told.decision], ['failed', 'approved'])
    assert.match(told.output ?? '', /was not made: email\.send .* changed .*amount must be string/)
    assert.equal(askAgain({ ...call('unknown'), timesMade: 1 }, wrong).status, 'unknown')
  })
})

describe('what a tool answers', () => {
  it('is kept as it is up to 64 KB, and cut between characters beyond', () => {
    const full = 'x'.repeat(64 * 1024)
    assert.equal(boundedOutput(full), full)
    const cut = boundedOutput('x' + '€'.repeat(30_000))
    assert.match(cut, /^x€+\n\n\[cut: the first 65536 of 90001 bytes\]$/)
    assert.equal(boundedOutput('a\0\uD800'), 'a\uFFFD\uFFFD')
  })
})
