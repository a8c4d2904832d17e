import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { until, untilFound } from '../../../rig/until.ts'
import { pluck } from '../../../test/pluck.ts'
import { fixture } from '../../../test/fixture.ts'
import { codeOf } from '../../../test/api-client.ts'
import { complete, echo, startTestApp } from '../../../test/test-app.ts'
import { earlier } from '../../../test/earlier.ts'
import { pauseSchedule } from './pause.ts'

const app = fixture(() => startTestApp({ intervals: { schedulesMs: 20 } }))

const crew = [{ role: 'r', systemPrompt: 's' }]
const weekly = { cron: '0 9 * * 1', time_zone: 'Europe/Berlin', input: 'report' }

async function createSchedule(fields: object = {}) {
  const workflow_id = await app.createWorkflow({ crew })
  return app.post('/v1/schedules', { ...weekly, workflow_id, ...fields })
}

/** Moves the due time of the schedule this many seconds into the past. */
async function passTime(id: string, seconds: number): Promise<void> {
  await sql`
    update schedules
    set next_due_at = date_trunc('minute', now()) - make_interval(secs => ${seconds}),
        next_start_at = date_trunc('minute', now()) - make_interval(secs => ${seconds})
    where id = ${id}`.execute(app.database)
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
async function firingsOf(id: string, count: number, isWanted = (one: any) => one.status !== 'due') {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  let firings: any[] = []
  await until(`${count} firings`, 20_000, async () => {
    firings = await app.get(`/v1/schedules/${id}/firings?limit=100`)
    return firings.filter(isWanted).length >= count
  })
  return firings
}

describe('a schedule', () => {
  it('says when it fires, and starts a run at its time in its own name', async () => {
    const fields = { name: 'Weekly', tags: { kind: 'report' }, time_zone: 'europe/berlin' }
    const made = await createSchedule(fields)
    assert.equal(made.in_words, 'Every Monday at 09:00 (Europe/Berlin)')
    assert.equal(made.status, 'active')
    assert.equal(new Date(made.next_due_at).getUTCDay(), 1)
    await passTime(made.id, 0)
    const [firing] = await firingsOf(made.id, 1)
    assert.equal(firing.status, 'fired', firing.why)
    const run = await app.rest(firing.run_id)
    assert.equal(run.status, 'completed')
    assert.equal(run.input, 'report')
    assert.deepEqual(run.tags, { kind: 'report' })
    const { on_behalf_of: people, ...by } = run.triggered_by
    assert.deepEqual(by, { type: 'system', id: made.id, name: 'Weekly' })
    assert.deepEqual(pluck(people, 'name'), ['first admin key'])
    const after = await app.get(`/v1/schedules/${made.id}`)
    assert.equal(after.next_due_at, made.next_due_at)
    assert.equal(after.last_firing.run_id, firing.run_id)
  })

  it('fills in its templates, with the last run that has ended', async () => {
    const input =
      '{{ schedule.name }} of {{ scheduled_at | date: "%Y" }} after <{{ last_run.output }}>'
    const made = await createSchedule({ name: 'Weekly', input, data: { at: '{{ scheduled_at }}' } })
    for (const last of ['<>', /^<echo: .*>$/]) {
      const { run_id } = await app.post(`/v1/schedules/${made.id}/trigger`)
      const run = await app.rest(run_id)
      const [start, end = ''] = run.input.split(' after ')
      assert.equal(start, `Weekly of ${new Date().getUTCFullYear()}`)
      assert.match(end, last instanceof RegExp ? last : new RegExp(`^${last}$`))
      assert.ok(Date.parse(run.data.at) > Date.now() - 60_000)
    }
  })

  it('runs the version that it names', async () => {
    const made = await createSchedule({ version: 1 })
    await app.patch(`/v1/workflows/${made.workflow_id}`, { description: 'newer' })
    const { run_id } = await app.post(`/v1/schedules/${made.id}/trigger`)
    assert.equal((await app.get(`/v1/runs/${run_id}`)).workflow_version, 1)
    await app.patch(`/v1/schedules/${made.id}`, { version: 7 })
    await passTime(made.id, 0)
    await until('a firing by the clock', 10_000, async () => {
      const [firing] = await app.get(`/v1/schedules/${made.id}/firings?status=skipped`)
      return /version/.test(firing?.why ?? '')
    })
  })

  it('says so where a template cannot be filled in', async () => {
    const made = await createSchedule({ input: '{% for i in (1..99999999) %}x{% endfor %}' })
    await passTime(made.id, 0)
    const [firing] = await firingsOf(made.id, 1)
    assert.equal(firing.status, 'skipped')
    assert.match(firing.why, /input: memory alloc limit exceeded/)
  })

  it('fires once where several processes look', async () => {
    await using _one = await app.startAnother('worker')
    await using _two = await app.startAnother('worker')
    const ids: string[] = []
    for (let one = 0; one < 10; one++) ids.push((await createSchedule()).id)
    for (const id of ids) await passTime(id, 0)
    for (const id of ids) await firingsOf(id, 1)
    const { count } = await app.row`
      select count(*)::int as count from runs where triggered_by = any(${ids})`
    assert.equal(count, 10)
  })

  it('that cannot be read is paused, and holds up no other', async () => {
    const [broken, sound] = [await createSchedule(), await createSchedule()]
    await app.sql`update schedules set time_zone = 'Mars/Base' where id = ${broken.id}`
    for (const { id } of [broken, sound]) await passTime(id, 0)
    await firingsOf(sound.id, 1)
    const pauseAgain = app.database
      .transaction()
      .execute((transaction) => pauseSchedule(transaction, app.accountId, broken.id, 'again'))
    assert.equal(await pauseAgain, false, 'it was paused already')
    const after = await app.row`select status, paused_reason from schedules where id = ${broken.id}`
    assert.equal(after.status, 'paused')
    assert.match(after.paused_reason, /^its next moment cannot be computed: .*time zone/)
  })

  it('ends behind its one moment', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const made = await createSchedule({ cron: undefined, at })
    await app.sql`update schedules set at = now() where id = ${made.id}`
    await app.sql`
      update schedules set next_due_at = at, next_start_at = at where id = ${made.id}`
    await firingsOf(made.id, 1)
    const after = await app.get(`/v1/schedules/${made.id}`)
    assert.equal(after.status, 'ended')
    assert.equal(after.next_due_at, null)
  })

  it('is one for a key, however often it is applied, and stays paused', async () => {
    const workflow_id = await app.createWorkflow({ crew })
    const body = { ...weekly, workflow_id, key: 'weekly-report' }
    const first = await app.post('/v1/schedules', body)
    await app.patch(`/v1/schedules/${first.id}`, { status: 'paused' })
    const second = await app.post('/v1/schedules', { ...body, cron: '0 8 * * *' })
    assert.equal(second.id, first.id)
    assert.equal(second.cron, '0 8 * * *')
    assert.equal(second.status, 'paused')
    const other = await createSchedule()
    const taken = await app.call('PATCH', `/v1/schedules/${other.id}`, {
      body: { key: 'weekly-report' },
    })
    assert.deepEqual(codeOf(taken), [400, 'invalid_value'])
  })

  it('is due next from now on when its time is changed or it is resumed', async () => {
    const made = await createSchedule()
    const every = await app.patch(`/v1/schedules/${made.id}`, { every_seconds: 3_600 })
    assert.equal(every.cron, null)
    assert.equal(every.in_words, 'Every hour')
    const distance = new Date(every.next_due_at).getTime() - Date.now()
    assert.ok(Math.abs(distance - 3_600_000) < 60_000)
    const paused = await app.patch(`/v1/schedules/${made.id}`, { status: 'paused' })
    assert.equal(paused.next_due_at, null)
    const resumed = await app.patch(`/v1/schedules/${made.id}`, { status: 'active' })
    assert.equal(resumed.next_due_at, every.next_due_at)
  })

  it('is listed by workflow and status', async () => {
    const { workflow_id } = await createSchedule()
    const more = { ...weekly, workflow_id }
    for (const status of ['active', 'paused']) await app.post('/v1/schedules', { ...more, status })
    assert.equal((await app.get(`/v1/schedules?workflow_id=${workflow_id}`)).length, 3)
    const path = `/v1/schedules?workflow_id=${workflow_id}&status=paused`
    assert.equal((await app.get(path)).length, 1)
  })

  it('is refused where its time makes no sense', async () => {
    const workflow_id = await app.createWorkflow({ crew })
    const refused: [object, string][] = [
      [{ cron: '0 9 * *' }, 'cron'],
      [{ cron: '0 25 * * *' }, 'cron'],
      [{ cron: '0 0 30 2 *' }, 'cron'],
      [{ cron: '@daily at' }, 'cron'],
      [{ cron: '* * * * * *' }, 'cron'],
      [{ time_zone: 'Berlin' }, 'time_zone'],
      [{ time_zone: '+02:00' }, 'time_zone'],
      [{ every_seconds: 60 }, 'every_seconds'],
      [{ cron: null }, 'cron'],
      [{ cron: null, at: '2020-01-01T00:00:00Z' }, 'at'],
      [{ ends_at: '2020-01-01T00:00:00Z' }, 'ends_at'],
      [{ input: null }, 'input'],
      [{ workflow_id: 'wf_absent' }, 'workflow_id'],
      [{ input: '{{ x' }, 'input'],
      [{ data: { a: 'x'.repeat(65_536) } }, 'data'],
      [{ data: { a: ['{{ x | shout }}'] } }, 'data.a[0]'],
    ]
    for (const [fields, param] of refused) {
      const body = { ...weekly, workflow_id, ...fields }
      const answer = await app.call('POST', '/v1/schedules', { body })
      assert.equal(answer.status, 400, JSON.stringify(fields))
      assert.equal(answer.body.error.param, param, JSON.stringify(answer.body))
    }
  })
})

describe('a firing', () => {
  /** Starts a run of the schedule whose model call is held until it is released. */
  async function startOpenRun(fields: object) {
    const { promise, resolve } = Promise.withResolvers<void>()
    let isFirst = true
    app.answer = (request, response) => {
      if (!isFirst) return echo(request, response)
      isFirst = false
      void promise.then(() => complete(response, 'late'))
    }
    const made = await createSchedule(fields)
    await passTime(made.id, 0)
    const [first] = await firingsOf(made.id, 1)
    await app.sql`
      update schedule_firings set due_at = ${earlier('due_at', '1 hour')} where schedule_id = ${made.id}`
    await until('the run is at the model', 10_000, () => Promise.resolve(!isFirst))
    await passTime(made.id, 0)
    return { id: made.id, first, release: resolve }
  }

  it('is skipped while the run before it is not finished, and says so', async () => {
    const { id, first, release } = await startOpenRun({ overlap: 'skip' })
    const [second] = await firingsOf(id, 2)
    assert.equal(second.status, 'skipped')
    assert.equal(second.why, `The previous run, ${first.run_id}, is running`)
    assert.equal(second.run_id, null)
    release()
  })

  it('waits for the run before it, and then starts', async () => {
    const { id, first, release } = await startOpenRun({ overlap: 'queue' })
    const isWaiting = (one: { why: string | null }) => one.why !== null
    const [second] = await firingsOf(id, 1, isWaiting)
    assert.equal(second.status, 'due')
    release()
    await app.rest(first.run_id)
    await app.sql`update schedule_firings set next_try_at = now() where status = 'due'`
    const [after] = await firingsOf(id, 2)
    assert.equal(after.status, 'fired')
    assert.equal(after.why, null)
  })

  it('is skipped where a hundred others wait already', async () => {
    const { id, release } = await startOpenRun({ overlap: 'queue' })
    const [second] = await firingsOf(id, 1, (one) => one.why !== null)
    await app.sql`
      insert into schedule_firings
        (account_id, id, schedule_id, number, kind, due_at, status, next_try_at)
      select ${app.accountId}, ${id} || n, ${id}, 100 + n, 'scheduled', now() + n * interval '1 hour', 'due', now()
      from generate_series(1, 100) as n`
    await app.sql`update schedule_firings set next_try_at = now() where id = ${second.id}`
    const after = await untilFound('it is settled', 20_000, async () => {
      const row = await app.row`select status, why from schedule_firings where id = ${second.id}`
      return row.status === 'due' ? undefined : row
    })
    assert.deepEqual(after, { status: 'skipped', why: '100 firings are waiting already' })
    await app.delete(`/v1/schedules/${id}`)
    release()
  })

  it('cancels the run before it', async () => {
    const { id, first, release } = await startOpenRun({ overlap: 'cancel_previous' })
    const [second] = await firingsOf(id, 2)
    assert.equal(second.status, 'fired')
    assert.equal((await app.rest(first.run_id)).error_code, 'cancelled')
    release()
  })

  it('runs beside the run before it', async () => {
    const { id, release } = await startOpenRun({ overlap: 'allow' })
    const [second] = await firingsOf(id, 2)
    assert.equal((await app.rest(second.run_id)).status, 'completed')
    release()
  })

  it('says why there is no run', async () => {
    const orphan = await createSchedule()
    await app.delete(`/v1/workflows/${orphan.workflow_id}`)
    await passTime(orphan.id, 0)
    const [firing] = await firingsOf(orphan.id, 1)
    assert.equal(firing.status, 'skipped')
    assert.match(firing.why, /no workflow/)
  })

  it('waits while its workflow is paused, the last one of several', async () => {
    const made = await createSchedule({ cron: '0 0 1 1 *' })
    const pause = (status: string) => app.patch(`/v1/workflows/${made.workflow_id}`, { status })
    await pause('paused')
    await passTime(made.id, 60)
    await firingsOf(made.id, 1, ({ why }) => why !== null)
    await passTime(made.id, 0)
    const hurry = () =>
      app.sql`update schedule_firings set next_try_at = now() where schedule_id = ${made.id} and status = 'due'`
    await until('both have been tried', 20_000, async () => {
      await hurry()
      const firings = await app.get(`/v1/schedules/${made.id}/firings`)
      return (
        firings.length === 2 && firings.every(({ why }: { why: string | null }) => why !== null)
      )
    })
    const [last, first] = await app.get(`/v1/schedules/${made.id}/firings`)
    assert.deepEqual([first.status, last.status], ['missed', 'due'])
    assert.match(first.why, /the workflow is paused/)
    await pause('active')
    await hurry()
    const [fired] = await firingsOf(made.id, 1, ({ status }) => status === 'fired')
    assert.equal(fired.id, last.id)
  })

  it('is missed, with the reason, where it had to wait for too long', async () => {
    const made = await createSchedule({ cron: '0 0 1 1 *', catch_up: 'none' })
    await app.patch(`/v1/workflows/${made.workflow_id}`, { status: 'paused' })
    await passTime(made.id, 0)
    await firingsOf(made.id, 1, ({ why }) => why !== null)
    await app.sql`
      update schedule_firings set due_at = ${earlier('due_at', '3 minutes')}, next_try_at = now()
      where schedule_id = ${made.id}`
    const [firing] = await firingsOf(made.id, 1)
    assert.equal(firing.status, 'missed')
    assert.match(firing.why, /the workflow is paused/)
  })

  it('is missed where no worker ran in time, and can be made up for', async () => {
    await app.post('/v1/webhooks', {
      url: 'https://127.0.0.1:9/missed',
      events: ['schedule.missed'],
    })
    const made = await createSchedule({ cron: '* * * * *', catch_up: 'none', overlap: 'queue' })
    await passTime(made.id, 600)
    const firings = await firingsOf(made.id, 10)
    const missed = firings.filter(({ status }) => status === 'missed')
    assert.ok(missed.length >= 7)
    assert.match(missed[0].why, /^No worker ran in time/)
    const { snapshot } = await app.row`
      select snapshot from webhook_deliveries where event_type = 'schedule.missed'`
    assert.deepEqual(snapshot.schedule, { id: made.id, name: 'w' })
    assert.equal(snapshot.missed, missed.length)
    assert.equal(snapshot.due_at.at(-1), missed[0].due_at)
    await app.patch(`/v1/schedules/${made.id}`, { status: 'paused' })
    const [from, to] = [missed.at(-1).due_at, missed[0].due_at]
    const backfill = await app.post(`/v1/schedules/${made.id}/backfill`, { from, to })
    assert.deepEqual(backfill, { due: missed.length, already: 0 })
    await until('all have run', 30_000, async () => {
      await app.sql`update schedule_firings set next_try_at = now() where status = 'due' and waits`
      const all = await app.get(`/v1/schedules/${made.id}/firings?status=fired&limit=100`)
      const made_up = all.filter(({ kind }: { kind: string }) => kind === 'backfill')
      return made_up.length === missed.length
    })
    const again = await app.post(`/v1/schedules/${made.id}/backfill`, { from, to })
    assert.deepEqual(again, { due: 0, already: missed.length })
  })

  it('catches up after a day without workers as it says, and lists the rest as missed', async () => {
    const fields = {
      cron: '0 * * * *',
      catch_up: 'all',
      catch_up_seconds: 10_800,
      overlap: 'allow',
    }
    const made = await createSchedule(fields)
    const next = { at: made.next_due_at }
    await app.sql`
      update schedules
      set next_due_at = ${earlier('next_due_at', '1 day')}, next_start_at = ${earlier('next_due_at', '1 day')}
      where id = ${made.id}`
    const firings = await firingsOf(made.id, 24)
    const statuses = firings.map(({ status }) => status as string)
    assert.deepEqual(statuses, [...Array(3).fill('fired'), ...Array(21).fill('missed')])
    assert.equal((await app.get(`/v1/schedules/${made.id}`)).next_due_at, next.at)
  })

  it('is none for a retry or a fork of its run', async () => {
    app.answer = (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"no"}}')
    }
    const made = await createSchedule()
    const { run_id: id } = await app.post(`/v1/schedules/${made.id}/trigger`)
    assert.equal((await app.rest(id)).status, 'failed')
    app.answer = echo
    const retry = await app.post(`/v1/runs/${id}/retry`)
    const fork = await app.post(`/v1/runs/${id}/fork`, { from_step: 0 })
    for (const one of [retry, fork]) {
      assert.equal((await app.rest(one.id)).status, 'completed')
      assert.equal((await app.get(`/v1/runs/${one.id}`)).triggered_by.type, 'key')
    }
    assert.equal((await app.get(`/v1/schedules/${made.id}/firings`)).length, 1)
    assert.equal((await app.get(`/v1/schedules/${made.id}`)).next_due_at, made.next_due_at)
  })

  it('is asked for by hand once under an Idempotency-Key', async () => {
    const made = await createSchedule({ status: 'paused' })
    const fire = () =>
      app.call('POST', `/v1/schedules/${made.id}/trigger`, {
        headers: { 'idempotency-key': `fire-${made.id}` },
      })
    const first = await fire()
    assert.equal(first.status, 201)
    assert.equal(first.body.data.kind, 'manual')
    await app.forgetAnswer(`fire-${made.id}`)
    const second = await fire()
    assert.equal(second.body.data.run_id, first.body.data.run_id)
    assert.equal((await app.get(`/v1/schedules/${made.id}/firings`)).length, 1)
    assert.equal((await app.get(`/v1/runs/${first.body.data.run_id}`)).triggered_by.type, 'key')
  })

  it('pauses the schedule when its runs keep failing', async () => {
    app.answer = (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"no"}}')
    }
    const soon = await createSchedule({ pause_after_failures: 1 })
    await passTime(soon.id, 0)
    await until('it is paused when its run has failed', 15_000, async () => {
      const { status, paused_reason: why } = await app.get(`/v1/schedules/${soon.id}`)
      return status === 'paused' && why === '1 run in a row failed'
    })
    const made = await createSchedule({ pause_after_failures: 2 })
    for (const hour of [3, 2]) {
      await passTime(made.id, 0)
      const [firing] = await firingsOf(made.id, 4 - hour)
      assert.equal((await app.rest(firing.run_id)).status, 'failed')
      await app.sql`
        update schedule_firings set due_at = ${earlier('due_at', `${hour} hours`)}
        where schedule_id = ${made.id} and due_at > now() - interval '30 minutes'`
    }
    app.answer = echo
    await until('it is paused after the second', 15_000, async () => {
      const { status, paused_reason: why } = await app.get(`/v1/schedules/${made.id}`)
      return status === 'paused' && why === '2 runs in a row failed'
    })
  })

  it('is kept among the newest 1,000', async () => {
    const made = await createSchedule({ status: 'paused' })
    await app.sql`
      insert into schedule_firings (account_id, id, schedule_id, number, kind, due_at, status)
      select ${app.accountId}, 'fir_' || n, ${made.id}, n, 'scheduled', now() - n * interval '1 hour', 'missed'
      from generate_series(1, 1000) as n`
    await app.sql`update schedules set firing_count = 1000 where id = ${made.id}`
    await app.post(`/v1/schedules/${made.id}/trigger`)
    const { count, least } = await app.row`
      select count(*)::int as count, min(number)::int as least from schedule_firings
      where schedule_id = ${made.id}`
    assert.deepEqual({ count, least }, { count: 1_000, least: 2 })
  })
})

describe('a preview', () => {
  it('shows the coming moments of a schedule, saved or not', async () => {
    const made = await createSchedule()
    const saved = await app.post(`/v1/schedules/${made.id}/preview`)
    assert.equal(saved.due.length, 10)
    assert.equal(saved.due[0], made.next_due_at)
    const { cron, time_zone } = weekly
    const unsaved = await app.post('/v1/schedules/preview', { cron, time_zone })
    assert.deepEqual(unsaved, saved)
    const once = await app.post('/v1/schedules/preview', { at: '2030-01-01T00:00:00Z' })
    assert.deepEqual(once.due, ['2030-01-01T00:00:00.000Z'])
  })
})

describe('a restored database', () => {
  it('fires nothing until an operator lets it, and nothing that was due before', async () => {
    const made = await createSchedule({ cron: '0 0 1 1 *', catch_up: 'all' })
    await app.sql`
      insert into epochs (number, reason, in_doubt, deliveries_held)
      values (1, 'restored', true, true)`
    await passTime(made.id, 0)
    const isLookedAt = async () => {
      const { ok } =
        await app.row`select next_start_at <= now() as ok from schedules where id = ${made.id}`
      return ok as boolean
    }
    assert.ok(await isLookedAt())
    await app.sql`update epochs set deliveries_held = false, began_at = now()`
    const [firing] = await firingsOf(made.id, 1)
    assert.equal(firing.status, 'missed')
    assert.match(firing.why, /restored/)
    await app.sql`delete from epochs where number = 1`
  })
})
