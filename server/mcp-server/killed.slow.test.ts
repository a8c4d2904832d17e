import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey as key } from '../../rig/muster-process.ts'
import { openScriptedStage } from '../../test/scripted-stage.ts'
import { complete } from '../../test/test-app.ts'
import { connectMcp, eras, postMcp } from './test-mcp.ts'

const crew = { model: 'bench', crew: [{ role: 'writer', systemPrompt: 'Work.' }] }
const meta = { 'muster/idempotencyKey': 'once' }

describe('kill -9 of the service between a call and its answer', () => {
  for (const era of eras) {
    it(`leaves one run, whose answer a ${era} client finds by its handle`, async () => {
      let isSilent = true
      await using stage = await openScriptedStage({
        answer: (response) => {
          if (!isSilent) complete(response, 'the answer')
        },
        env: { MUSTER_LEASE_SECONDS: '1' },
      })
      const first = await stage.start('all')
      const workflow = await stage.createWorkflow({ ...crew, expose_mcp: { name: 'report' } })
      await using before = await connectMcp({ url: first.url, key }, era)
      const handle = await before.call('report', { input: 'x', wait_seconds: 0 }, meta)
      const cut = before.call('report', { input: 'x', wait_seconds: 45 }, meta)
      cut.catch(() => {})
      await stage.models.until(() => stage.models.requests.length === 1)
      await first.kill()
      await assert.rejects(cut)

      isSilent = false
      const second = await stage.start('all')
      await using after = await connectMcp({ url: second.url, key }, era)
      const again = await after.call('report', { input: 'x', wait_seconds: 45 }, meta)
      const run_id = (handle.structuredContent as { run_id: string }).run_id
      const found = await after.call('run_wait', { run_id, wait_seconds: 45 })
      for (const one of [again, found]) {
        assert.deepEqual(one.content, [{ type: 'text', text: 'the answer' }])
        const { 'muster/run': run } = one._meta ?? {}
        assert.equal((run as { id: string }).id, run_id)
      }
      assert.equal((await stage.get(`/v1/workflows/${workflow}/runs`)).length, 1)
    })
  }

  it('leaves a task, which another process answers for', async () => {
    let isSilent = true
    await using stage = await openScriptedStage({
      answer: (response) => {
        if (!isSilent) complete(response, 'the answer')
      },
      env: { MUSTER_LEASE_SECONDS: '1' },
    })
    const first = await stage.start('all')
    await stage.createWorkflow({ ...crew, expose_mcp: { name: 'report' } })
    const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const send = async (url: string, method: string, params: Record<string, unknown>) => {
      const response = await postMcp(url, key, { method, params }, {}, tasks)
      return ((await response.json()) as { result: Record<string, unknown> }).result
    }
    const asked = { name: 'report', arguments: { input: 'x' } }
    const { taskId, status } = await send(first.url, 'tools/call', asked)
    assert.equal(status, 'working')
    await first.kill()
    isSilent = false
    const second = await stage.start('all')
    await stage.rest(String(taskId))
    const ended = await send(second.url, 'tasks/get', { taskId })
    assert.equal(ended['status'], 'completed')
  })
})
