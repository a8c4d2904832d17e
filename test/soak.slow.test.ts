import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../rig/measure.ts'
import { residentMb } from '../rig/memory.ts'
import { startReceiver } from '../rig/receiver.ts'
import { until } from '../rig/until.ts'
import { openScriptedStage, type ScriptedStage } from './scripted-stage.ts'
import { runMix, type Mix } from './soak/mix.ts'
import { testOperatorKey } from './api-client.ts'
import { callTools, complete, testSecretKey } from './test-app.ts'

/**
 * Everything at once, for twenty minutes or `MUSTER_TEST_MINUTES`, while 500 accounts are made and erased and 5,000
 * cases are answered. From the second tenth of the time on, what the process and the database hold stays level, and
 * requests of the last tenth take as long as those of the second.
 */
const minutes = Number(process.env['MUSTER_TEST_MINUTES'] ?? 20)
const lengthMs = minutes * 60_000
const timeout = lengthMs + 600_000
const share = minutes / 20
const accounts = Math.max(5, Math.round(500 * share))
const cases = Math.max(20, Math.round(5_000 * share))
const tenths = 10
/** How much a figure of the last tenth may exceed that of the second one: a share of it, and a constant. */
const mayGrow: Record<string, [share: number, constant: number]> = {
  'heap in MB': [0.15, 10],
  'resident memory in MB': [0.3, 60],
  descriptors: [0.1, 20],
  'timers and sockets': [0.1, 20],
  sessions: [0, 2],
  'MB of the queue': [0.5, 20],
  'dead rows of the queue': [1, 20_000],
  'ms of a trigger': [0.5, 5],
  'ms of a list': [0.5, 10],
}

it(
  'a long time of everything leaves memory, queues and answers as they were',
  { timeout },
  async (t) => {
    await using stage = await openStage()
    await using receiver = await startReceiver((_request, response) => response.end('ok'))
    const muster = await stage.start('all')
    const [plainId, askingId] = [
      await workflowOf(stage, 's'),
      await workflowOf(stage, 'Ask first.'),
    ]
    const agentId = await stage.createAgent({ model: 'bench' })
    const startedAt = Date.now()
    const endsAt = startedAt + lengthMs
    let mix: Mix | undefined
    const options = {
      url: muster.url,
      client: stage,
      receiverUrl: `http://127.0.0.1:${receiver.port}/`,
    }
    const ids = { plainId, askingId, agentId }
    const ended = runMix(
      { ...options, ...ids, endsAt, accounts, cases },
      (started) => (mix = started),
    )
    // It fails at once if a request does.
    const failed = ended.then(() => new Promise<never>(() => {}))
    const figures: Record<string, number>[] = []
    for (let tenth = 1; tenth <= tenths; tenth++) {
      const left = startedAt + (tenth / tenths) * lengthMs - Date.now() - 1_000
      await Promise.race([delay(Math.max(0, left)), failed])
      const taken = mix?.takeTimes() ?? { trigger: [], list: [] }
      figures.push({
        ...(await readFigures(stage, muster)),
        'ms of a trigger': median(taken.trigger),
        'ms of a list': median(taken.list),
      })
      t.diagnostic(
        JSON.stringify(figures.at(-1), (_, value) =>
          typeof value === 'number' ? Math.round(value * 10) / 10 : value,
        ),
      )
    }
    await ended
    t.diagnostic(JSON.stringify(mix?.counts))
    // Requests in progress have two minutes to end before an account's last row goes.
    await until('all accounts are erased', 300_000, async () => {
      const rows = await stage.database.query('select from accounts where deleted_at is not null')
      return rows.length === 0
    })
    await until('no run is open', 120_000, async () => {
      const open = `select from runs where status not in ('completed', 'failed') limit 1`
      return (await stage.database.query(open)).length === 0
    })
    assert.deepEqual(await stage.database.query(`select id from runs where status = 'failed'`), [])
    assert.doesNotMatch(await muster.readLog(), /MaxListenersExceeded/)
    const [, second, last] = [figures[0], figures[1], figures.at(-1)]
    for (const [name, [more, constant]] of Object.entries(mayGrow)) {
      const [before = NaN, after = NaN] = [second?.[name], last?.[name]]
      assert.ok(after <= before * (1 + more) + constant, `${name}: ${before}, at the end ${after}`)
    }
  },
)

function openStage(): Promise<ScriptedStage> {
  return openScriptedStage({
    answer: (response, { body }) => {
      const asks = body.includes('Ask first.') && !body.includes('"role":"tool"')
      if (asks) callTools(response, [{ name: 'request_input', arguments: { question: 'May I?' } }])
      else complete(response, 'done')
    },
    env: {
      MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
      MUSTER_SECRET_KEY: testSecretKey,
      MUSTER_OPERATOR_KEY: testOperatorKey,
    },
  })
}

function workflowOf(stage: ScriptedStage, systemPrompt: string): Promise<string> {
  return stage.createWorkflow({
    model: 'bench',
    crew: [{ role: 'clerk', systemPrompt }],
    human_in_the_loop: { enabled: true },
  })
}

/** Tables whose rows come and go. */
const churning = `'jobs', 'account_holds', 'usage_deltas', 'run_word_walks', 'budget_reservations', 'accounts'`

type Service = Awaited<ReturnType<ScriptedStage['start']>>

/** What the process holds after a garbage collection, and the database in tables whose rows come and go. */
async function readFigures(stage: ScriptedStage, muster: Service): Promise<Record<string, number>> {
  const descriptors = await readdir(`/proc/${muster.pid}/fd`).catch(() => [])
  const [row] = await stage.database.query<{ sessions: number; mb: number; dead: number }>(`
    select (select count(*)::int from pg_stat_activity where datname = current_database()) as sessions,
           sum(pg_total_relation_size(relid))::float8 / 1048576 as mb, sum(n_dead_tup)::int as dead
    from pg_stat_user_tables where relname in (${churning})`)
  return {
    'heap in MB': (await muster.readMemory()) / 2 ** 20,
    'resident memory in MB': await residentMb(muster.pid),
    descriptors: descriptors.length,
    'timers and sockets': await muster.countResources(),
    sessions: row?.sessions ?? NaN,
    'MB of the queue': row?.mb ?? NaN,
    'dead rows of the queue': row?.dead ?? NaN,
  }
}
