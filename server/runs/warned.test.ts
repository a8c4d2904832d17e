import assert from 'node:assert/strict'
import { it } from 'node:test'
import { clerkFixture, read, write } from '../../test/clerk.ts'
import { echo } from '../../test/test-app.ts'
import { pluck } from '../../test/pluck.ts'

const { app, sink, start } = clerkFixture()
const unattended = { enabled: false, approvals: 'never' }

it('a completed run whose actions were not done has warnings, and is found by them', async () => {
  const fine = await start([write('fine')], unattended)
  assert.deepEqual(fine.warnings, [])
  sink.onCall = (response, _answer, id) => {
    const result = { isError: true, content: [{ type: 'text', text: 'no such channel' }] }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  const failed = await start([write('x'), { ...read, id: 'r' }], unattended)
  sink.onCall = undefined
  assert.equal(failed.status, 'completed')
  assert.deepEqual(pluck(failed.warnings, 'code'), ['action_failed', 'action_failed'])
  assert.match(
    failed.warnings[1].message,
    /^step 1 \(clerk\): sink\.read failed: .*no such channel/,
  )

  const blocked = await (async () => {
    await app.patch('/v1/policies', { rules: [{ action: 'sink.write', decision: 'block' }] })
    const run = await start([write('x')], unattended)
    await app.patch('/v1/policies', { rules: [] })
    return run
  })()
  assert.deepEqual(pluck(blocked.warnings, 'code'), ['action_refused'])

  const found = pluck(await app.get('/v1/runs?has_warnings=true'), 'id')
  assert.deepEqual(found, [blocked.id, failed.id])
  const completed = pluck(await app.get('/v1/runs?has_warnings=true&status=completed'), 'id')
  assert.deepEqual(completed, found)
  assert.deepEqual(await app.get('/v1/runs?has_warnings=true&status=failed'), [])
  assert.equal((await app.get('/v1/runs?has_warnings=false')).length, 3)
})

it('a fork that keeps the step keeps its warning and is found as well', async () => {
  await app.patch('/v1/policies', { rules: [{ action: 'sink.write', decision: 'block' }] })
  const plain = { role: 'reader', systemPrompt: 'read' }
  const entry = {
    role: 'clerk',
    systemPrompt: 'act',
    connectors: ['sink'],
    capabilities: ['sink.write'],
  }
  const run = await start([write('x')], unattended, { crew: [entry, plain] })
  await app.patch('/v1/policies', { rules: [] })
  app.answer = echo
  const { id } = await app.post(`/v1/runs/${run.id}/fork`, { from_step: 1 })
  const fork = await app.rest(id)
  assert.deepEqual(pluck(fork.warnings, 'step_order'), [0])
  assert.equal((await app.get('/v1/runs?has_warnings=true'))[0].id, id)
})
