import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { it } from 'node:test'
import { connectTo, type BenchDatabase } from '../rig/bench-database.ts'
import { clerk, startMcpSink } from '../rig/mcp-sink.ts'
import { adminKey, startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { prepareCluster } from '../server/embedded/cluster.ts'
import {
  choosePort,
  isPostmasterOf,
  spawnPostmaster,
  stopPostmaster,
} from '../server/embedded/process.ts'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { startDatabaseProxy } from './chaos/database-proxy.ts'
import { agentModel, startScriptedAgent } from './chaos/scripted-agent.ts'
import { clientOf } from './api-client.ts'
import { testSecretKey } from './test-app.ts'
import { writeModelsFile } from '../rig/models-file.ts'

interface Postgres extends AsyncDisposable {
  url: string
  socketDir: string
  port: number
  /** SIGKILL for the server and for the process that feeds the standby. */
  kill(walSender: number): Promise<void>
}

async function startPostgres(dataDir: string, settings = {}): Promise<Postgres> {
  const cluster = await prepareCluster({ dataDir })
  const { folder, socketDir } = cluster
  const port = choosePort()
  const { pid } = await spawnPostmaster(cluster, { port, settings })
  const host = encodeURIComponent(socketDir)
  const url = `postgresql://muster@localhost:${port}/muster?host=${host}&sslmode=disable`
  await until('PostgreSQL answers', 30_000, () =>
    connectTo(url).then(
      (database) => database[Symbol.asyncDispose]().then(() => true),
      () => false,
    ),
  )
  return {
    url,
    socketDir,
    port,
    async kill(walSender) {
      process.kill(pid, 'SIGKILL')
      process.kill(walSender, 'SIGKILL')
      await until('it is gone', 10_000, async () => !(await isPostmasterOf(pid, folder)))
    },
    [Symbol.asyncDispose]: () => stopPostmaster(pid, folder),
  }
}

/** Promotes an asynchronous standby that lacks the last 400 ms, under load. */
async function promote(): Promise<void> {
  await using folder = await makeScratchFolder()
  const [first, second] = ['first', 'second'].map((name) => join(folder.path, name)) as [
    string,
    string,
  ]
  await (await startEmbeddedServer({ dataDir: first }))[Symbol.asyncDispose]()
  await mkdir(second)
  const copied = spawnSync('cp', ['-a', join(first, 'postgres'), join(second, 'postgres')])
  assert.equal(copied.status, 0, String(copied.stderr))
  await writeFile(join(second, 'postgres', 'standby.signal'), '')
  await using primary = await startPostgres(first)
  const from = `host=${primary.socketDir} port=${primary.port} user=muster application_name=standby`
  await using standby = await startPostgres(second, { primary_conninfo: from })
  await using proxy = await startDatabaseProxy(primary.url)
  await using agent = await startScriptedAgent()
  await using sink = await startMcpSink()
  const modelsFile = await writeModelsFile(folder.path, agent.modelsFile)
  await using muster = await startMuster({
    folder: folder.path,
    env: {
      DATABASE_URL: proxy.url,
      MUSTER_MODELS_FILE: modelsFile,
      MUSTER_SECRET_KEY: testSecretKey,
      MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
  })
  const client = clientOf(() => muster.url, adminKey)
  await client.put('/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: ['read'] })
  const agentId = await client.createAgent({ ...clerk, model: agentModel })
  const crew = [{ role: 'clerk', systemPrompt: 'act', agentId }]
  const createWorkflow = (policy: object): Promise<string> =>
    client.createWorkflow({ model: agentModel, crew, human_in_the_loop: policy })
  const alone = await createWorkflow({ enabled: false, approvals: 'never' })
  const asked = await createWorkflow({ enabled: true, approvals: 'sensitive', allow_input: false })

  const accepted = new Set<string>()
  const [isLoaded, isDone] = [new AbortController(), new AbortController()]
  let number = 0
  const trigger = async (): Promise<void> => {
    while (!isLoaded.signal.aborted) {
      const path = `/v1/workflows/${++number % 2 === 0 ? alone : asked}/runs`
      const { status, body } = await client.call('POST', path, {
        body: { input: `#${number}# go` },
      })
      if (status === 202) accepted.add(body.data.id)
      await delay(30)
    }
  }
  const approve = async (): Promise<void> => {
    while (!isDone.signal.aborted) {
      const { body } = await client.call('GET', '/v1/pending')
      for (const { run_id: id, pending } of body.data ?? []) {
        const answer = { action: 'approve', pending_id: pending?.id }
        await client.call('POST', `/v1/runs/${id}/respond`, { body: answer })
      }
      await delay(50)
    }
  }
  const clients = [trigger(), trigger(), trigger(), approve()]
  await until('runs were accepted', 60_000, () => accepted.size > 60)

  const walSender = await findWalSender(primary.url)
  process.kill(walSender, 'SIGSTOP')
  await delay(400)
  await primary.kill(walSender)
  await using database = await connectTo(standby.url)
  await database.query('select pg_promote()')
  proxy.retarget(standby.url)
  await until('the epoch is there', 30_000, async () => (await epochs(database)) === 2)
  const before = accepted.size
  await until('runs are accepted again', 30_000, () => accepted.size > before + 20)
  isLoaded.abort()
  await Promise.all(clients.slice(0, 3))
  await until('all runs ended', 90_000, async () => (await count(database, open)) === 0)
  isDone.abort()
  await Promise.all(clients)

  const rows = await database.query<{ id: string }>('select id from runs')
  const there = new Set(rows.map(({ id }) => id))
  const gone = [...accepted].filter((id) => !there.has(id)).toSorted()
  const named = await database.query<{ id: string }>(`
    select distinct run_id as id from losses
    where not exists (select from runs where runs.id = losses.run_id) order by 1`)
  assert.deepEqual(
    named.map(({ id }) => id).filter((id) => accepted.has(id)),
    gone,
    'every run that was accepted and is gone is named',
  )
  const ids = new Map<string, string[]>()
  for (const { tool, input, idempotencyKey } of sink.calls) {
    if (tool !== 'write') continue
    const text = String(input['text'])
    ids.set(text, [...(ids.get(text) ?? []), idempotencyKey])
  }
  const twice = [...ids.values()].filter((keys) => keys.length > 1)
  assert.deepEqual(
    twice.filter((keys) => new Set(keys).size > 1),
    [],
    'no action was done twice with two ids',
  )
  // Even numbers are workflows without approvals.
  const isAlone = ([text]: [string, string[]]): boolean => Number(/\d+/.exec(text)?.[0]) % 2 === 0
  assert.deepEqual(
    [...ids].filter(([, keys]) => keys.length > 1).filter(isAlone),
    [],
    'nothing was done again but what a person approved again',
  )
  const unasked = await count(
    database,
    `from tool_calls join runs on runs.account_id = tool_calls.account_id
       and runs.id = tool_calls.run_id
     where workflow_id = '${asked}' and tool = 'sink.write'
       and tool_calls.status = 'succeeded' and decision is null`,
  )
  assert.equal(unasked, 0, 'no action without an answer that is still there')
  const lostEvents = await count(database, 'from losses')
  const unknown = await count(database, `from tool_calls where status = 'unknown'`)
  console.log(
    `${accepted.size} runs accepted, ${gone.length} lost and named, ` +
      `${lostEvents} lost events, ${ids.size} actions, ${twice.length} done again under one id as ` +
      `a person said, ${unknown} unknown and not repeated`,
  )
}

const open = `from runs where status in ('queued', 'running', 'waiting_input')`

async function count(database: BenchDatabase, from: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*)::int as count ${from}`)
  return row?.count ?? -1
}

const epochs = (database: BenchDatabase): Promise<number> => count(database, 'from epochs')

async function findWalSender(url: string): Promise<number> {
  await using database = await connectTo(url)
  const [row] = await database.query<{ pid: number }>('select pid from pg_stat_replication')
  assert.ok(row, 'the standby follows')
  return row.pid
}

it('a standby that lacks what was written last is promoted under load', promote)
