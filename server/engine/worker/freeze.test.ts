import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../../accounts/create-account.ts'
import { hashDefinition, plainAgent, type AgentForRun, type Definition } from '../run/definition.ts'
import type { Candidate } from '../journal/take.ts'
import { freeze, openStep } from './freeze.ts'
import { defaultHumanInTheLoop } from '../../workflows/definition.ts'
import { databaseFixture } from '../../../test/fixture.ts'
import { saveDefinitions } from '../journal/definitions.ts'
import { DefinitionCache } from '../queue/dispatch.ts'

const database = databaseFixture(2)

describe('definitions of a batch of runs', () => {
  it('are all found, also when the cache holds fewer', async () => {
    const { id: accountId } = await createAccount(database, 'a')
    const definitions = ['one', 'two', 'three'].map((role) => {
      const body = define(role)
      return { accountId, hash: hashDefinition(body).toString('hex'), body }
    })
    await saveDefinitions(database, definitions)
    const runs = definitions.map(({ hash }, number) => begun(`run_${number}`, accountId, hash))
    const cache = new DefinitionCache(1)
    const port = { modelsOf: () => assert.fail(), readAgents: async () => [] }
    await freeze({ database, definitions: cache }, port, runs.slice(0, 1))
    const frozen = await freeze({ database, definitions: cache }, port, runs)
    assert.deepEqual(
      runs.map((run) => frozen.get(run.id)?.body.crew[0]?.role),
      ['one', 'two', 'three'],
    )
  })
})

describe('the start of a step', () => {
  const plain = { role: 'clerk', instructions: 'own', model: 'm' }
  const agent = { ...plainAgent(plain), agentId: 'agt_1', memory: true, fallback: plain }
  const opening = {
    runId: 'run_1',
    accountId: 'acc_1',
    workflowId: 'wf_1',
    remembers: true,
    definition: { ...define('clerk'), crew: [agent] },
  }
  const note = { id: 'mem_1', content: 'Ada prefers tea', pinned: false }
  /** What is recalled, and for what. */
  function portOf(agents: Pick<AgentForRun, 'id' | 'name' | 'status'>[]) {
    const recalled: unknown[] = []
    const port = {
      readAgents: async () => agents as AgentForRun[],
      recallMemory: async (...asked: unknown[]) => {
        recalled.push(asked)
        return [note]
      },
    }
    return { port, recalled }
  }
  const known = { id: 'agt_1', name: 'Clerk' }

  it('recalls what its agent remembers of the input', async () => {
    const { port, recalled } = portOf([{ ...known, status: 'active' }])
    const opened = await openStep(port, opening, 0, () => 'What does Ada drink?')
    assert.ok(opened?.kind === 'open')
    assert.deepEqual([opened.step.agentId, opened.step.memory], ['agt_1', [note]])
    const scope = { kind: 'agent', agentId: 'agt_1' }
    assert.deepEqual(recalled, [['acc_1', scope, 'What does Ada drink?']])
    const forgetful = { ...opening, remembers: false }
    await openStep(port, forgetful, 0, () => assert.fail('it recalls nothing'))
    assert.equal(recalled.length, 1)
  })

  it('is refused while its agent is paused', async () => {
    const { port } = portOf([{ ...known, status: 'paused' }])
    const opened = await openStep(port, opening, 0, () => '')
    assert.ok(opened?.kind === 'refused')
    assert.equal(opened.failure.code, 'agent_paused')
    assert.match(opened.failure.message, /agent agt_1 \(Clerk\) is paused/)
  })

  it("uses the crew entry's own instructions, without memory, once its agent is deleted", async () => {
    const { port, recalled } = portOf([])
    const opened = await openStep(port, opening, 0, () => '')
    assert.ok(opened?.kind === 'open')
    assert.deepEqual([opened.step.agentId, opened.step.memory, recalled], [null, [], []])
  })

  it('is none after the last step', async () => {
    assert.equal(await openStep(portOf([]).port, opening, 1, () => ''), undefined)
  })
})

function define(role: string): Definition {
  return {
    crew: [plainAgent({ role, instructions: 'i', model: 'm' })],
    humanInTheLoop: defaultHumanInTheLoop,
    limits: {
      max_turns_per_step: 25,
      max_run_seconds: 3600,
      max_outage_seconds: 1,
      max_cost_usd: null,
    },
  }
}

function begun(id: string, accountId: string, definitionHash: string): Candidate {
  return {
    id,
    accountId,
    workflowId: 'wf_1',
    status: 'running',
    attempt: 1,
    crashCount: 0,
    probationSize: null,
    isDoubted: false,
    lastSequence: 1,
    tags: null,
    data: null,
    threadId: null,
    context: null,
    isHeld: false,
    input: 'x',
    workflowVersion: null,
    definitionHash,
    costUsd: 0,
    toolBytes: 0,
    hasFiles: false,
    prior: [],
    begun: null,
  }
}
