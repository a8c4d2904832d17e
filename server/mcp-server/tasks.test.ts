import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { actOnce, clerkFixture, write } from '../../test/clerk.ts'
import { complete } from '../../test/test-app.ts'
import { postMcp } from './test-mcp.ts'

const at = clerkFixture()
const { app } = at

const extension = 'io.modelcontextprotocol/tasks'
const tasks = { extensions: { [extension]: {} } }
const crew = [{ role: 'writer', systemPrompt: 's' }]

interface Answer {
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

const send = async (
  method: string,
  params: Record<string, unknown>,
  capabilities: object = tasks,
  key = app.key,
): Promise<Answer & { status: number }> => {
  const response = await postMcp(app.url, key, { method, params }, {}, capabilities)
  return { status: response.status, ...((await response.json()) as Answer) }
}
const call = async (name: string, capabilities: object = tasks) =>
  (await send('tools/call', { name, arguments: { input: 'go' } }, capabilities)).result ?? {}
const get = async (taskId: unknown, capabilities: object = tasks) =>
  (await send('tasks/get', { taskId }, capabilities)).result ?? {}

describe('a call of a client that takes tasks', () => {
  it('is answered with a task after a second, which ends with the result', async () => {
    const { promise: asked, resolve: release } = Promise.withResolvers<void>()
    app.answer = async (_request, response) => {
      await asked
      complete(response, 'at last')
    }
    await app.createWorkflow({ crew, expose_mcp: { name: 'slow' } })
    const made = await call('slow')
    const { taskId, createdAt, lastUpdatedAt, statusMessage, _meta, ...rest } = made
    assert.match(String(taskId), /^run_/)
    assert.deepEqual(rest, {
      resultType: 'task',
      status: 'working',
      ttlMs: null,
      pollIntervalMs: 2_000,
    })
    assert.ok(String(createdAt) <= String(lastUpdatedAt))
    assert.match(String(statusMessage), new RegExp(`open ${app.url}/runs/${String(taskId)}`))
    assert.equal((await get(taskId))['status'], 'working')
    release()
    await app.rest(String(taskId))
    const ended = await get(taskId)
    assert.deepEqual([ended['resultType'], ended['status']], ['complete', 'completed'])
    const { content, isError } = ended['result'] as { content: unknown[]; isError?: boolean }
    assert.deepEqual([content, isError], [[{ type: 'text', text: 'at last' }], undefined])
    // A client that takes none gets a handle, and a run that ends at once is no task.
    app.answer = (_request, response) => complete(response, 'at once')
    assert.equal((await call('slow'))['resultType'], 'complete')
  })

  it('asks the client to open the page of a request, and changes nothing by its answer', async () => {
    const wants = { ...tasks, elicitation: { url: {} } }
    await at.createWorkflow({ enabled: true }, { expose_mcp: { name: 'clerk' } })
    app.answer = actOnce(write('x'))
    const made = await call('clerk', wants)
    const { taskId } = made
    assert.equal(made['resultType'], 'task')
    const waiting = await get(taskId, wants)
    assert.equal(waiting['status'], 'input_required')
    const { pending } = await app.get(`/v1/runs/${String(taskId)}`)
    const params = { mode: 'url', url: `${app.url}/inbox/${pending.id}`, message: pending.prompt }
    assert.deepEqual(waiting['inputRequests'], {
      [pending.id]: { method: 'elicitation/create', params },
    })
    const inputResponses = { [pending.id]: { action: 'accept' } }
    const updated = await send('tasks/update', { taskId, inputResponses }, wants)
    assert.equal(updated.result?.['resultType'], 'complete')
    assert.equal((await app.get(`/v1/runs/${String(taskId)}`)).status, 'waiting_input')
    // A client that opens no pages reads the link.
    const told = await get(taskId)
    assert.equal(told['status'], 'working')
    assert.match(String(told['statusMessage']), new RegExp(`open ${params.url}`))
    await app.post(`/v1/runs/${String(taskId)}/respond`, { action: 'approve' })
    await app.rest(String(taskId))
    assert.equal((await get(taskId, wants))['status'], 'completed')
  })

  it('has an error as the result of a failed run, and can be cancelled', async () => {
    app.answer = () => {}
    await app.createWorkflow({ crew, limits: { max_run_seconds: 2 }, expose_mcp: { name: 'late' } })
    const late = await call('late')
    await app.rest(String(late['taskId']))
    const failed = await get(late['taskId'])
    assert.equal(failed['status'], 'completed')
    assert.equal((failed['result'] as { isError: boolean }).isError, true)

    const { taskId } = await call('late')
    assert.deepEqual((await send('tasks/cancel', { taskId })).result?.['resultType'], 'complete')
    const cancelled = await get(taskId)
    assert.deepEqual([cancelled['status'], 'result' in cancelled], ['cancelled', false])
  })

  it('is of its account, and of clients that declare the extension', async () => {
    app.answer = (_request, response) => complete(response, 'done')
    const run = await app.run(await app.createWorkflow({ crew }))
    const { adminKey } = await createAccount(app.database, 'stranger')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const other = await send(method, { taskId: run.id, inputResponses: {} }, tasks, adminKey)
      assert.deepEqual([other.status, other.error?.code], [200, -32_602])
      const undeclared = await send(method, { taskId: run.id, inputResponses: {} }, {})
      assert.deepEqual([undeclared.status, undeclared.error?.code], [400, -32_021])
    }
  })
})
