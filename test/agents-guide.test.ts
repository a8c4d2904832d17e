import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runWalk } from './walk.ts'

it('the walk of the guide to agents works as it stands', async () => {
  const stdout = await runWalk('docs/agents.md')
  assert.match(stdout, /"status":"completed"/)
  assert.match(stdout, /"agent_id":"agt_\w{26}"/)
  assert.match(stdout, /"memory":\["mem_\w{26}"\]/)
  assert.match(stdout, /"status":"paused"/)
})
