import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Step } from '../engine/wire/step.ts'
import type { CrewEntry } from '../workflows/schema.ts'
import { stepsToReuse } from './retry.ts'

type Failure = 'budget_exceeded' | 'step_failed'

const entry = (role: string, agentId?: string): CrewEntry => ({
  role,
  systemPrompt: 'x',
  ...(agentId !== undefined && { agentId }),
})
const crew = [entry('a'), entry('b'), entry('c')]

/** Steps of a run, each with its role; those in `unfinished` have no output. */
const stepsOf = (roles: string[], unfinished: string[] = []): Step[] =>
  roles.map(
    (role, order) =>
      ({ order, role, agent_id: null, output: unfinished.includes(role) ? null : 'x' }) as Step,
  )

const reuse = (steps: Step[], error_code: Failure, of = crew): string[] =>
  stepsToReuse({ action: 'retry this run' }, { steps, error_code }, of).map(({ role }) => role)

describe('the steps that a retry reuses', () => {
  it('are the finished ones', () => {
    for (const code of ['step_failed', 'budget_exceeded'] as const) {
      assert.deepEqual(reuse(stepsOf(['a', 'b'], ['b']), code), ['a'])
      assert.deepEqual(reuse(stepsOf(['a'], ['a']), code), [])
      assert.deepEqual(reuse(stepsOf(['a', 'b', 'c'], ['c']), code), ['a', 'b'])
      assert.deepEqual(reuse(stepsOf(['a', 'b']), code), ['a', 'b'], 'between two steps')
    }
  })

  it('leave out the last one of the crew if only the cost of the whole run failed it', () => {
    assert.deepEqual(reuse(stepsOf(['a', 'b', 'c']), 'budget_exceeded'), ['a', 'b'])
    assert.deepEqual(reuse(stepsOf(['a']), 'budget_exceeded', [entry('a')]), [])
  })

  it('must be those of the crew as it is now', () => {
    const changed = { code: 'crew_changed' }
    assert.throws(() => reuse(stepsOf(['a', 'b'], ['b']), 'step_failed', [entry('z')]), changed)
    assert.throws(() => reuse(stepsOf(['a', 'b']), 'step_failed', [entry('a')]), changed)
    const ended = {
      code: 'crew_changed',
      message: /step 4, which failed, is no longer in the crew/,
    }
    assert.throws(() => reuse(stepsOf(['a', 'b', 'c']), 'step_failed'), ended)
    const shorter = {
      code: 'crew_changed',
      message: /step 3, which failed, is no longer in the crew/,
    }
    const tooDear = stepsOf(['a', 'b', 'c'], ['c'])
    assert.throws(() => reuse(tooDear, 'budget_exceeded', crew.slice(0, 2)), shorter)
  })

  it('are compared by agent, or by role where one of the two names no agent', () => {
    const step = { order: 0, role: 'clerk', agent_id: 'agt_1', output: 'x' } as Step
    const of = (first: CrewEntry) => reuse([step], 'step_failed', [first, entry('b')])
    assert.deepEqual(of(entry('other', 'agt_1')), ['clerk'])
    assert.deepEqual(of(entry('clerk')), ['clerk'])
    assert.throws(() => of(entry('clerk', 'agt_2')), { code: 'crew_changed' })
    assert.throws(() => of(entry('other')), { code: 'crew_changed' })
  })
})
