import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { connectTo } from '../rig/bench-database.ts'
import { clerk, startMcpSink } from '../rig/mcp-sink.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { startWebhookReceiver } from '../rig/webhook-receiver.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { backUp, restoreFrom } from '../server/start/backup.ts'
import { readConfig, type Config } from '../server/start/config.ts'
import { callApi, type Answer } from './api-client.ts'
import { callTools, complete, startTestApp, testSecretKey, toolResults } from './test-app.ts'

interface Run {
  id: string
  pending: { id: string }
  steps: { tool_calls: { status: string }[] }[]
}

it('actions open at a backup are asked about where it is restored, and not repeated', async () => {
  await using folder = await makeScratchFolder()
  await using sink = await startMcpSink()
  await using receiver = await startWebhookReceiver()
  const thought = Promise.withResolvers<void>()
  await using app = await startTestApp({
    answer: (request, response) => {
      if (toolResults(request).length > 0) return complete(response, 'done')
      const isSlow = request.messages.some(({ content }) => content?.includes('slowly'))
      const write = { name: 'sink__write', arguments: { text: 'a' } }
      void (isSlow ? thought.promise : Promise.resolve()).then(() => callTools(response, [write]))
    },
  })
  const clientOf =
    (url: string) =>
    async (method: string, path: string, body?: object): Promise<Answer['body']> => {
      const answer = await callApi(url, app.key, method, path, { body })
      assert.ok(answer.status < 300, JSON.stringify(answer.body))
      return answer.body.data
    }
  const call = clientOf(app.url)
  await call('PUT', '/v1/connectors/sink', { kind: 'mcp', url: sink.url })
  await call('POST', '/v1/webhooks', { url: receiver.url, events: ['run.completed'] })
  const agent = await call('POST', '/v1/agents', { ...clerk, capabilities: ['sink.write'] })
  const trigger = async (approvals: string, input: string) => {
    const crew = [{ role: 'clerk', systemPrompt: 'act', agentId: agent.id }]
    const policy = { enabled: true, approvals }
    const body = { name: approvals, crew, human_in_the_loop: policy }
    const { id } = await call('POST', '/v1/workflows', body)
    return call('POST', `/v1/workflows/${id}/runs`, { input })
  }
  const respond = (on: typeof call, run: Run, action: string) =>
    on('POST', `/v1/runs/${run.id}/respond`, { action, pending_id: run.pending.id })

  const [acting, waiting] = await Promise.all(
    [await trigger('sensitive', 'go'), await trigger('sensitive', 'go')].map(({ id }) =>
      call('GET', `/v1/runs/${id}?wait=30`),
    ),
  )
  assert.deepEqual([acting.status, waiting.status], ['waiting_input', 'waiting_input'])
  const thinking = await trigger('never', 'slowly')
  await app.models.until(() => app.models.active === 1)
  const arrived = Promise.withResolvers<() => void>()
  sink.onCall = (_response, answer) => arrived.resolve(answer)
  await respond(call, acting, 'approve')
  const answerCall = await arrived.promise

  const file = join(folder.path, 'backup')
  const configOf = (url: string): Config =>
    readConfig({
      DATABASE_URL: url,
      MUSTER_SECRET_KEY: testSecretKey,
      MUSTER_DATA_DIR: folder.path,
    })
  await backUp(configOf(app.databaseUrl), file, { withKey: false, log: () => {} })

  // The service continues: what it does now is not in the backup.
  sink.onCall = undefined
  answerCall()
  thought.resolve()
  await respond(call, waiting, 'approve')
  for (const { id } of [acting, waiting, thinking]) {
    assert.equal((await call('GET', `/v1/runs/${id}?wait=30`)).status, 'completed')
  }
  await until('webhooks arrive', 20_000, () => receiver.received.length === 3)

  await using target = await createTestDatabase()
  await using database = await connectTo(target.url)
  await restoreFrom(configOf(target.url), file, () => {})
  await using elsewhere = await app.startAnother('all', { DATABASE_URL: target.url })
  const there = clientOf(elsewhere.url ?? '')
  const statusOf = ({ steps }: Run) => steps[0]?.tool_calls[0]?.status
  // At the backup, one was being done, one awaited approval, one had not been proposed: all have
  // been done since.
  for (const { id } of [acting, waiting, thinking]) {
    await until('the run is taken', 20_000, async () => {
      return statusOf(await there('GET', `/v1/runs/${id}`)) === 'unknown'
    })
    const asked = await there('GET', `/v1/runs/${id}?wait=30`)
    const hasGoneOut = id === acting.id
    const prompt = /^It is unknown whether sink\.write \(text: a\) was done( already: .*restored)?/
    const words = prompt.exec(asked.pending.prompt)
    assert.deepEqual([words?.index, words?.[1] === undefined], [0, hasGoneOut])
    const [last] = await database.query(`
      select data ->> 'pending_id' as asks from events
      where run_id = '${id}' and type = 'run.waiting_input' order by sequence desc limit 1`)
    assert.deepEqual(last, { asks: asked.pending.id })
    if (id === waiting.id) {
      assert.notEqual(asked.pending.id, waiting.pending.id)
      const body = { action: 'approve', pending_id: waiting.pending.id }
      const late = await callApi(elsewhere.url ?? '', app.key, 'POST', `/v1/runs/${id}/respond`, {
        body,
      })
      assert.deepEqual([late.status, late.body.error.code], [409, 'pending_mismatch'])
    }
    await respond(there, asked, 'reject')
    assert.equal((await there('GET', `/v1/runs/${id}?wait=30`)).status, 'completed')
  }

  assert.equal(sink.calls.length, 3, 'each action was done before, none again')
  assert.equal(receiver.received.length, 3, 'webhooks of the restored service are held')
})
