import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { startMcpSink } from '../rig/mcp-sink.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { startWebhookReceiver } from '../rig/webhook-receiver.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { backUp, restoreFrom } from '../server/start/backup.ts'
import { readConfig, type Config } from '../server/start/config.ts'
import {
  callApi,
  callTools,
  complete,
  startTestApp,
  testSecretKey,
  toolResults,
  type Answer,
} from './test-app.ts'

interface Run {
  id: string
  pending: { id: string }
  steps: { tool_calls: { status: string }[] }[]
}

it('an approved action in the air at a backup is asked about where that is restored, and not repeated', async () => {
  await using folder = await makeScratchFolder()
  await using sink = await startMcpSink()
  await using receiver = await startWebhookReceiver()
  await using app = await startTestApp({
    env: { MUSTER_LEASE_SECONDS: '0.2' },
    answer: (request, response) =>
      toolResults(request).length > 0
        ? complete(response, 'done')
        : callTools(response, [{ name: 'sink__write', arguments: { text: 'a' } }]),
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
  const agent = await call('POST', '/v1/agents', {
    name: 'Clerk',
    role: 'clerk',
    systemPrompt: 'act',
    connectors: ['sink'],
    capabilities: ['sink.write'],
  })
  const workflow = await call('POST', '/v1/workflows', {
    name: 'w',
    crew: [{ role: 'clerk', systemPrompt: 'act', agentId: agent.id }],
    human_in_the_loop: { enabled: true, approvals: 'sensitive' },
  })
  const trigger = () => call('POST', `/v1/workflows/${workflow.id}/runs`, { input: 'go' })
  const respond = (on: typeof call, run: Run, action: string) =>
    on('POST', `/v1/runs/${run.id}/respond`, { action, pending_id: run.pending.id })

  const [acting, waiting] = await Promise.all(
    [await trigger(), await trigger()].map(({ id }) => call('GET', `/v1/runs/${id}?wait=30`)),
  )
  assert.deepEqual([acting.status, waiting.status], ['waiting_input', 'waiting_input'])
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

  // The service goes on: it does what the backup knows nothing of.
  sink.onCall = undefined
  answerCall()
  await respond(call, waiting, 'approve')
  for (const { id } of [acting, waiting]) {
    assert.equal((await call('GET', `/v1/runs/${id}?wait=30`)).status, 'completed')
  }
  await until('webhooks arrive', 20_000, () => receiver.received.length === 2)

  await using target = await createTestDatabase()
  await restoreFrom(configOf(target.url), file, () => {})
  await using elsewhere = await app.startAnother('all', { DATABASE_URL: target.url })
  const there = clientOf(elsewhere.url ?? '')
  const statusOf = ({ steps }: Run) => steps[0]?.tool_calls[0]?.status
  await until('the run is taken', 20_000, async () => {
    return statusOf(await there('GET', `/v1/runs/${acting.id}`)) !== 'executing'
  })
  const asked = await there('GET', `/v1/runs/${acting.id}?wait=30`)
  assert.equal(statusOf(asked), 'unknown')
  assert.match(asked.pending.prompt, /It is unknown whether sink\.write .* was done/)
  const untouched = await there('GET', `/v1/runs/${waiting.id}`)
  assert.deepEqual([untouched.status, statusOf(untouched)], ['waiting_input', 'proposed'])

  await respond(there, asked, 'reject')
  assert.equal((await there('GET', `/v1/runs/${acting.id}?wait=30`)).status, 'completed')
  assert.equal(sink.calls.length, 2, 'both actions were done before, none again')
  assert.equal(receiver.received.length, 2, 'webhooks of the restored service are held')
})
