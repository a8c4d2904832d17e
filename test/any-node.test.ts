import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pino from 'pino'
import { json, makeFolder, muster } from '../cli/test-cli.ts'
import { clerk, startMcpSink, type McpSink } from '../rig/mcp-sink.ts'
import * as citus from '../server/db/cluster/test-citus.ts'
import { callApi, type Answer } from './api-client.ts'
import {
  callTools,
  complete,
  startTestApp,
  testSecretKey,
  toolResults,
  type StartedApp,
  type TestApp,
} from './test-app.ts'

const secret = 'not-for-logs'

describe('any server of a cluster serves as DATABASE_URL', { skip: citus.noCitus }, () => {
  let sink: McpSink
  let app: TestApp
  let api: StartedApp
  let worker: StartedApp
  /** Addresses of the database, on each node. */
  let nodes: string[]
  let coordinator: string
  const logged: string[] = []

  before(async () => {
    sink = await startMcpSink()
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
    app = await startTestApp({
      role: 'api',
      log,
      answer: (request, response) => {
        if (request.messages.at(-1)?.role === 'tool') {
          complete(response, `done: ${toolResults(request).join(' | ')}`)
        } else if (request.tools === undefined) complete(response, 'no tools')
        else callTools(response, [{ name: 'sink__write', arguments: { text: 'hello' } }])
      },
    })
    const { urls } = await citus.findCluster(process.env[citus.citusVariable] ?? '')
    const name = new URL(app.databaseUrl).pathname.slice(1)
    const [first = '', ...others] = urls.map((url) => citus.inDatabase(url, name))
    coordinator = new URL(first).host
    nodes = others.map((url) => Object.assign(new URL(url), { password: secret }).href)
    logged.length = 0
    api = await app.startAnother('api', { DATABASE_URL: nodes[0] ?? '' })
    worker = await app.startAnother('worker', { DATABASE_URL: nodes[1] ?? '' })
  })
  after(async () => {
    await worker[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
  })

  const call = async (method: string, path: string, body?: unknown): Promise<Answer['body']> => {
    const options = body === undefined ? {} : { body }
    const answer = await callApi(api.url ?? '', app.key, method, path, options)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body.data
  }

  it('runs go from an API process on one node to a worker on another, and wait for people', async () => {
    await call('PUT', '/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: ['read'] })
    const agent = await call('POST', '/v1/agents', { ...clerk, capabilities: ['sink.write'] })
    const workflow = await call('POST', '/v1/workflows', {
      name: 'w',
      crew: [{ role: 'clerk', systemPrompt: 'act', agentId: agent.id }],
      human_in_the_loop: { enabled: true },
    })
    const { id } = await call('POST', `/v1/workflows/${workflow.id}/runs`, { input: 'go' })
    const waiting = await call('GET', `/v1/runs/${id}?wait=30`)
    assert.equal(waiting.status, 'waiting_input', JSON.stringify(waiting))
    assert.deepEqual(sink.calls, [])
    await call('POST', `/v1/runs/${id}/respond`, { action: 'approve' })
    const run = await call('GET', `/v1/runs/${id}?wait=30`)
    assert.equal(run.status, 'completed', JSON.stringify(run))
    assert.equal(sink.calls.length, 1)
  })

  it('each process says once which server it uses, without the password', () => {
    const said = logged.filter((line) => line.includes(`its coordinator at ${coordinator} is used`))
    assert.equal(said.length, 2)
    assert.ok(!logged.join('').includes(secret))
  })

  it('operators work on accounts through a node', async () => {
    await using folder = await makeFolder()
    const env = { DATABASE_URL: nodes[1] ?? '', MUSTER_SECRET_KEY: testSecretKey }
    const run = async (args: string[]) => {
      const finished = await muster([...args, '--json'], { cwd: folder.path, env })
      assert.equal(finished.code, 0, finished.stderr)
      assert.match(finished.stderr, new RegExp(`its coordinator at ${coordinator} is used`))
      assert.ok(!finished.stderr.includes(secret))
      return finished.stdout
    }
    const { id } = json(await run(['accounts', 'create', 'Acme']))
    assert.equal(json(await run(['accounts', 'suspend', id])).status, 'suspended')
    assert.equal(json(await run(['accounts', 'resume', id])).status, 'active')
    assert.equal(json(await run(['accounts', 'set-quotas', id, '--runs-a-day', '3'])).id, id)
    assert.equal(json(await run(['accounts', 'show', id])).name, 'Acme')
    assert.match(await run(['accounts', 'export', id]), /Acme/)
    assert.ok(json(await run(['accounts', 'add-key', id])).admin_key)
    assert.equal(json(await run(['accounts', 'delete', id, '--yes'])).id, id)
    assert.ok(json(await run(['users', 'invite', 'a@example.com', 'viewer'])))
    assert.deepEqual(json(await run(['migrate'])), { applied: [] })
    assert.equal(json(await run(['rotate-secrets'])).unreadable.length, 0)
    assert.ok(json(await run(['backup', `${folder.path}/backup`])).bytes > 1_000)
    assert.equal(json(await run(['release-deliveries'])).were_held, false)
  })

  it('a node whose coordinator is away says so', async () => {
    await using folder = await makeFolder()
    const [node = ''] = nodes
    const port = Number(new URL(app.databaseUrl).port)
    await citus.movePort(node, port, citus.unusedPort)
    try {
      const env = { DATABASE_URL: node, MUSTER_SECRET_KEY: testSecretKey }
      const refused = await muster(['migrate'], { cwd: folder.path, env })
      assert.match(refused.stderr, /a node of a Citus cluster, whose coordinator is at .*:1 by/)
      assert.ok(!refused.stderr.includes(secret))
    } finally {
      await citus.movePort(node, citus.unusedPort, port)
    }
  })
})
