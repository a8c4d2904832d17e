import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { MusterProcess } from '../rig/muster-process.ts'
import { until } from '../rig/until.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { complete } from './test-app.ts'

interface Fire {
  schedules: number
  processes: number
  kills: number
  /** Maximum pause before each kill. */
  pauseMs: number
}

/** Seconds between firings of a schedule; far less than the API allows. */
const everySeconds = 1

/**
 * Kills processes at random while schedules are due each second, and starts others instead. In the
 * end each time has one firing and each firing one run.
 */
export async function fireUnderFire({ schedules, processes, kills, pauseMs }: Fire): Promise<void> {
  await using stage = await openScriptedStage({
    answer: (response) => complete(response, 'done'),
    env: { MUSTER_LEASE_SECONDS: '1' },
  })
  const { database } = stage
  await stage.start('api')
  const workflow_id = await stage.createWorkflow({
    model: 'bench',
    crew: [{ role: 'r', systemPrompt: 's' }],
  })
  const body = { workflow_id, every_seconds: 60, input: 'go', overlap: 'allow', catch_up: 'all' }
  for (let number = 0; number < schedules; number++) await stage.post('/v1/schedules', body)
  await database.query(`
    update schedules
    set every_seconds = ${everySeconds}, counts_from = date_trunc('second', now()),
        next_due_at = date_trunc('second', now()) + interval '1 second' * ${everySeconds},
        next_start_at = date_trunc('second', now()) + interval '1 second' * ${everySeconds}`)
  const workers: MusterProcess[] = []
  for (let number = 0; number < processes; number++) workers.push(await stage.start('worker'))
  const dueFirings = (): Promise<unknown[]> =>
    database.query(`select from schedule_firings where status = 'due'`)
  const endLeases = (): Promise<unknown> =>
    database.query(`
      update schedule_firings set next_try_at = now()
      where ctid = any(array(
        select ctid from schedule_firings where status = 'due' for update skip locked))`)
  for (let kill = 0; kill < kills; kill++) {
    const before = kill
    await until('firings go on', 30_000, async () => {
      const rows = await database.query(`select from schedule_firings where status = 'fired'`)
      return rows.length > before * schedules
    })
    await delay(pauseMs * Math.random())
    const victim = Math.floor(Math.random() * workers.length)
    await workers[victim]?.kill()
    workers[victim] = await stage.start('worker')
    // Firings that another process is starting are then started twice.
    await endLeases()
  }
  // Between two moments, and later than the moments that a process is planning meanwhile.
  await database.query(
    `update schedules set ends_at = date_trunc('second', now()) + interval '2500 ms'`,
  )
  await until('all schedules have ended', 30_000, async () => {
    await endLeases()
    const open = await database.query(`select from schedules where status <> 'ended'`)
    return open.length === 0 && (await dueFirings()).length === 0
  })

  const [count] = await database.query<{ moments: number; wrong: number }>(`
    select sum(floor(extract(epoch from ends_at - counts_from) / ${everySeconds}))::int as moments,
           count(*) filter (where firings.number <> floor(extract(epoch from ends_at - counts_from) / ${everySeconds})
                               or firings.least <> counts_from + interval '1 second' * ${everySeconds})::int as wrong
    from schedules
    join lateral (
      select count(*) as number, min(due_at) as least from schedule_firings
      where schedule_id = schedules.id and status = 'fired') as firings on true`)
  assert.ok((count?.moments ?? 0) >= schedules)
  assert.equal(count?.wrong, 0, 'each moment has one firing that fired')
  const flaws = await database.query(`
    select firing.id, firing.status, firing.why from schedule_firings as firing
    left join runs on runs.account_id = firing.account_id and runs.id = firing.run_id
      and runs.triggered_by = firing.schedule_id
    where firing.status <> 'fired' or runs.id is null`)
  assert.deepEqual(flaws, [], 'each firing has its run')
  const [runs] = await database.query<{ count: number }>(
    `select count(*)::int as count from runs where triggered_by like 'sch_%'`,
  )
  assert.equal(runs?.count, count?.moments, 'there is no other run')
}
