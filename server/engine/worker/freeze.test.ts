import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../../accounts/create-account.ts'
import { hashDefinition, plainAgent, type Definition } from '../run/definition.ts'
import type { Candidate } from '../journal/take.ts'
import { freeze } from './freeze.ts'
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
    await freeze(database, cache, runs.slice(0, 1), async () => 'm')
    const frozen = await freeze(database, cache, runs, async () => 'm')
    assert.deepEqual(
      runs.map((run) => frozen.get(run.id)?.body.crew[0]?.role),
      ['one', 'two', 'three'],
    )
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
