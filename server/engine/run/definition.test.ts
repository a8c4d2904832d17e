import assert from 'node:assert/strict'
import { it } from 'node:test'
import { defaultHumanInTheLoop, defaultLimits } from '../../workflows/definition.ts'
import { defineRun, freezeRules, type AgentForRun, type Source } from './definition.ts'

const entry = { role: 'writer', systemPrompt: 'Write.' }
const workflow: Source = {
  model: 'lab/m',
  fallbacks: ['lab/cheap'],
  human_in_the_loop: defaultHumanInTheLoop,
  limits: defaultLimits,
  memory_enabled: true,
  crew: [entry],
}
const agent: AgentForRun = {
  accountId: 'acc_1',
  id: 'agt_1',
  version: 3,
  name: 'Clerk',
  role: 'clerk',
  systemPrompt: 'Answer.',
  model: null,
  fallbacks: [],
  maxTokens: null,
  capabilities: [],
  status: 'active',
  memoryEnabled: true,
  outputSchema: null,
  rules: [],
  tools: [],
}
const define = (given: Partial<Source>, agents: AgentForRun[] = []) =>
  defineRun({ ...workflow, ...given }, agents).crew[0]

it('a crew entry has memory if its workflow has, unless its standing agent was deleted', () => {
  const linked = { ...entry, agentId: 'agt_1' }
  assert.equal(define({})?.memory, true)
  assert.equal(define({ memory_enabled: false })?.memory, false)
  assert.equal(define({ crew: [linked] })?.memory, false)
  assert.equal(define({ crew: [linked], memory_enabled: false })?.memory, false)
  assert.equal(define({ crew: [linked], memory_enabled: false }, [agent])?.memory, true)
})

it("a standing agent's own fallbacks take the place of those of the workflow", () => {
  const crew = [{ ...entry, agentId: 'agt_1' }]
  assert.deepEqual(define({ crew }, [agent])?.fallbacks, ['lab/cheap'])
  const own = { ...agent, fallbacks: ['lab/other'] }
  assert.deepEqual(define({ crew }, [own])?.fallbacks, ['lab/other'])
})

it('levels without rules are left out of a frozen definition', () => {
  const rules = [{ action: '*', decision: 'ask' as const }]
  assert.equal(freezeRules([], []), undefined)
  assert.deepEqual(freezeRules(rules, []), { agent: rules })
  assert.deepEqual(freezeRules([], rules), { crew_entry: rules })
  assert.deepEqual(freezeRules(rules, rules), { agent: rules, crew_entry: rules })
})
