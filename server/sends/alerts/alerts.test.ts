import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { channelsFixture } from '../channels/test-channels.ts'
import { prepare } from '../../../test/fixture.ts'
import { codeOf } from '../../../test/api-client.ts'
import type { ModelAnswer } from '../../../test/test-app.ts'
import { earlier } from '../../../test/earlier.ts'

const at = channelsFixture({
  intervals: { alertsMs: 30 },
  env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: 'http://127.0.0.1:9' },
})
const { clerk } = at
const { app } = clerk
let channelId = ''
prepare(async () => {
  channelId = (await at.createEmail(['ops@example.com'])).id
})

/** A provider that refuses the request. */
const fail: ModelAnswer = (_request, response) => void response.writeHead(400).end('{}')

const create = (on: string, fields: object = {}) =>
  app.post('/v1/alerts', { name: on, on, ...fields })
const failedRun = async () => {
  app.answer = fail
  const run = await app.run(await app.createWorkflow({ name: 'Nightly check' }))
  assert.equal(run.status, 'failed')
  return run
}
const mails = (title: RegExp) => at.mail.mails.filter(({ subject }) => title.test(subject ?? ''))
const mailed = async (title: RegExp) => {
  await until(`a mail ${title}`, 15_000, () => mails(title).length > 0)
  return mails(title).at(-1)?.text ?? ''
}
/** Moves the last message into the past, so that the pause after it is over. */
const endPause = (id: string) => app.sql`
  update alerts set last_fired_at = ${earlier('last_fired_at', '1 day')} where id = ${id}`

describe('an alert', () => {
  it('tells of a failed run once, pauses, and tells the rest together', async () => {
    await failedRun()
    const slack = await at.createSlack()
    const alert = await create('run.failed', { at_most_every_minutes: 30 })
    const first = await failedRun()
    const text = await mailed(/^1 run failed$/)
    assert.match(text, /Nightly check: /)
    assert.ok(text.includes(`/runs/${first.id}`))
    await until('Slack has it', 15_000, () =>
      at.slack.messages.some((one) => one.text === '1 run failed'),
    )
    await failedRun()
    await failedRun()
    assert.equal(mails(/failed$/).length, 1, 'it pauses')
    await endPause(alert.id)
    await mailed(/^2 runs failed$/)
    await app.delete(`/v1/alerts/${alert.id}`)
    await app.delete(`/v1/channels/${slack.id}`)
  })

  it('tells of a rate of failures, of a workflow that it names', async () => {
    const workflowId = await app.createWorkflow({ name: 'Rated' })
    const alert = await create('failure_rate', { workflow_ids: [workflowId], threshold: 0.6 })
    app.answer = fail
    for (let count = 0; count < 5; count++) await app.run(workflowId)
    assert.match(await mailed(/^100 % of runs failed$/), /5 of the 5 runs that ended/)
    await app.delete(`/v1/alerts/${alert.id}`)
  })

  it('tells of a request that waits too long', async () => {
    const alert = await create('waiting_too_long', { minutes: 30 })
    const run = await at.waitingRun('slow people')
    await app.sql`
      update runs set waiting_since = now() - interval '29 minutes 59.9 seconds' where id = ${run.id}`
    assert.match(await mailed(/^1 request waits longer than 30 minutes$/), /slow people/)
    await app.delete(`/v1/alerts/${alert.id}`)
  })

  it('tells of missed schedules, disabled endpoints, failing connections and models that end', async () => {
    const kinds = ['schedule.missed', 'webhook.disabled', 'connector.failing', 'model.ending']
    const made = []
    for (const kind of kinds) made.push(await create(kind))
    const workflowId = await app.createWorkflow()
    const schedule = await app.post('/v1/schedules', {
      name: 'Monday report',
      input: 'report',
      workflow_id: workflowId,
      cron: '0 9 * * 1',
      time_zone: 'Europe/Berlin',
    })
    await app.sql`
      insert into schedule_firings (account_id, id, schedule_id, number, kind, due_at, status, settled_at)
      values (${app.accountId}, 'fir_x', ${schedule.id}, 999, 'scheduled', now(), 'missed', now())`
    assert.match(await mailed(/^1 moment of a schedule was missed$/), /Monday report: due at/)
    const hook = { url: 'https://127.0.0.1:9/x?secret=1', events: ['run.completed'] }
    const { id } = await app.post('/v1/webhooks', hook)
    await app.sql`
      update webhook_endpoints set active = false, disabled_at = now(), disabled_reason = 'it is gone'
      where id = ${id}`
    const text = await mailed(/^1 webhook endpoint was disabled$/)
    assert.match(text, /it is gone/)
    assert.ok(!text.includes('secret=1'))
    at.slack.answers.set('auth.test', { ok: false, error: 'token_revoked' })
    await app.put('/v1/connectors/slack', { token: 'xoxb-gone' })
    at.slack.answers.clear()
    assert.match(await mailed(/^1 connection fails$/), /Connector slack: .*(revoked|not valid)/)
    const { id: userId } = await app.join('Ines', 'member')
    await app.sql`
      insert into connector_logins
        (account_id, id, connector_id, user_id, secret, version, needs_login_since, why)
      values (${app.accountId}, 'wiki.x', 'wiki', ${userId}, '', 'v', now(), 'it was revoked')`
    await endPause(made[2].id)
    await until('the login', 15_000, () =>
      mails(/connections? fails?$/).some(({ text }) =>
        /Login of Ines at wiki: it was revoked/.test(text ?? ''),
      ),
    )
    await app.createWorkflow({ name: 'Old', model: 'gpt-4.1-nano' })
    assert.match(await mailed(/^1 model in use ends$/), /gpt-4\.1-nano/)
    for (const one of made) await app.delete(`/v1/alerts/${one.id}`)
  })

  it('tells of a budget once for each threshold that it reaches', async () => {
    const alert = await create('budget.threshold')
    const budget = await app.post('/v1/budgets', {
      name: 'Month',
      scope: 'account',
      window: 'month',
      time_zone: 'UTC',
      cap_usd: 10,
      thresholds: [0.5],
    })
    await app.sql`update budget_windows set spent_usd = 6 where budget_id = ${budget.id}`
    assert.match(
      await mailed(/^1 budget has reached/),
      /Month: 6\.00 of 10\.00 USD spent this month/,
    )
    await endPause(alert.id)
    const { now } = await app.row`select now() as now`
    await until('it was checked again', 15_000, async () => {
      // A claim sets a later time, and the end of the check this one.
      const rows = await app.sql`
        select from alerts
        where id = ${alert.id} and next_check_at > ${now} and next_check_at < now() + interval '5 seconds'`
      return rows.length === 1
    })
    assert.equal(mails(/^1 budget has reached/).length, 1)
    await app.sql`update budget_windows set spent_usd = 10 where budget_id = ${budget.id}`
    await endPause(alert.id)
    await until('the cap is told', 15_000, () => mails(/^1 budget has reached/).length === 2)
    await app.delete(`/v1/budgets/${budget.id}`)
    await app.delete(`/v1/alerts/${alert.id}`)
  })

  it('that is off tells nothing, and one that is made active again tells only what comes', async () => {
    const alert = await create('run.failed', { active: false })
    const before = mails(/failed$/).length
    await failedRun()
    await app.patch(`/v1/alerts/${alert.id}`, { active: true })
    await failedRun()
    await until('a mail', 15_000, () => mails(/failed$/).length > before)
    assert.equal(mails(/failed$/).at(-1)?.subject, '1 run failed')
    await app.delete(`/v1/alerts/${alert.id}`)
  })

  it('names channels and workflows of the account', async () => {
    const refused = (fields: object) =>
      app.call('POST', '/v1/alerts', { body: { name: 'x', on: 'run.failed', ...fields } })
    assert.deepEqual(codeOf(await refused({ channel_ids: [channelId, 'chn_x'] })), [
      400,
      'unknown_channel',
    ])
    assert.deepEqual(codeOf(await refused({ workflow_ids: ['wf_x'] })), [400, 'unknown_workflow'])
    assert.deepEqual(codeOf(await refused({ on: 'everything' })), [400, 'invalid_value'])
  })
})
