import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../rig/until.ts'
import { openScriptedStage } from '../../../test/scripted-stage.ts'
import { complete } from '../../../test/test-app.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { createDatabase, createPool } from '../../db/client.ts'

const workflow = { model: 'bench', crew: [{ role: 'r', systemPrompt: 's' }] }
const accounts = 20
const perAccount = 500
const total = accounts * perAccount

it('starts 10,000 schedules of one minute within 60 s, and leaves triggers of others fast', async (t) => {
  await using stage = await openScriptedStage({ answer: (response) => complete(response, 'done') })
  const { database } = stage
  await stage.start('api')
  const workflowId = await stage.createWorkflow(workflow)
  await using plain = createDatabase(createPool(stage.databaseUrl, 1))
  for (let number = 0; number < accounts; number++) {
    const { id, adminKey } = await createAccount(plain, 'many')
    const other = await stage.createWorkflow(workflow, adminKey)
    await database.query(`
      insert into schedules
        (account_id, id, name, workflow_id, cron, time_zone, input, overlap, catch_up, catch_up_seconds,
         jitter_seconds, status, next_due_at, next_start_at)
      select '${id}', 'sch_' || lpad(n::text, 26, '0'), 'many', '${other}', '0 9 * * 1', 'UTC', 'go', 'skip',
             'last', 3600, 0, 'active', now(), now()
      from generate_series(1, ${perAccount}) as n`)
  }
  await database.query('analyze')

  await stage.start('worker')
  await stage.start('worker')
  const startedAt = performance.now()
  const latencies: number[] = []
  const over = new AbortController()
  const triggering = (async () => {
    while (!over.signal.aborted) {
      const sentAt = performance.now()
      await stage.trigger(workflowId)
      latencies.push(performance.now() - sentAt)
      await delay(50)
    }
  })()
  await until('all have fired', 120_000, async () => {
    const [row] = await database.query<{ count: number }>(
      `select count(*)::int as count from schedule_firings where status = 'fired'`,
    )
    return row?.count === total
  })
  const seconds = (performance.now() - startedAt) / 1_000
  over.abort()
  await triggering
  latencies.sort((a, b) => a - b)
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? 0
  t.diagnostic(
    `${total} in ${seconds.toFixed(1)} s; p99 of ${latencies.length} triggers ${p99.toFixed(0)} ms`,
  )
  assert.ok(seconds < 60, `${seconds} s`)
})
