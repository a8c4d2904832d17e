import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../rig/until.ts'
import { channelsFixture } from '../sends/channels/test-channels.ts'
import { pluck } from '../../test/pluck.ts'
import { prepare } from '../../test/fixture.ts'
import { codeOf, type Person } from '../../test/api-client.ts'
import { earlier } from '../../test/earlier.ts'

const at = channelsFixture()
const { clerk } = at
const { app } = clerk
let [ada, vic]: Person[] = []
prepare(async () => {
  ada = await app.join('ada', 'approver')
  vic = await app.join('vic', 'viewer')
  await app.join('boss', 'admin')
})

/** Moves the creation of a case's notifications into the past. */
const age = (pendingId: string, minutes: number) => app.sql`
  update notifications set created_at = ${earlier('created_at', `${minutes} minutes`)}
  where pending_id = ${pendingId}`

describe('a case', () => {
  it('is assigned, reassigned and given back; the person is told, and anybody may answer still', async () => {
    await at.createEmail(['team@example.org'])
    const { id: runId, pending } = await at.waitingRun('whose is it')
    const path = `/v1/pending/${pending.id}`
    const before = await app.get(path)
    assert.deepEqual([before.assignee, before.run_id, before.pending.id], [null, runId, pending.id])
    const assigned = await app.put(`${path}/assignee`, { user_id: ada?.id })
    assert.deepEqual(assigned.assignee, { id: ada?.id, name: 'ada' })
    const mail = await at.mailTo('ada@example.com', 'whose is it')
    assert.match(mail.subject ?? '', /^Assigned to you: Approval needed/)
    assert.match(mail.text ?? '', /\/answer\//)
    const viewer = { user_id: vic?.id }
    const refused = await app.call('PUT', `${path}/assignee`, { body: viewer })
    assert.deepEqual(codeOf(refused), [400, 'unknown_user'])
    assert.equal((await app.put(`${path}/assignee`, { user_id: null })).assignee, null)
    await until('both messages are written', 15_000, async () => {
      const kinds = pluck((await app.get(path)).notifications, 'kind')
      return kinds.includes('assignment') && kinds.includes('case')
    })
    assert.equal((await clerk.answered(runId, { action: 'approve' })).status, 'completed')
    assert.equal((await app.call('GET', path)).status, 404)
  })

  it('is found among others by its workflow, action, person, age and words', async () => {
    const one = await at.waitingRun('the "Zürich" order')
    const other = await at.waitingRun('something else')
    await app.put(`/v1/pending/${one.pending.id}/assignee`, { user_id: ada?.id })
    const found = async (query: string): Promise<string[]> => {
      const ids = pluck(await app.get(`/v1/pending?limit=100&${query}`), 'run_id')
      return [one.id, other.id].filter((id) => ids.includes(id))
    }
    const both = [one.id, other.id]
    const now = encodeURIComponent(new Date(Date.now() + 60_000).toISOString())
    const cases: [query: string, runs: string[]][] = [
      [`workflow_id=${one.workflow_id}`, [one.id]],
      ['workflow_id=wf_none', []],
      [`action=${one.pending.tool}`, both],
      ['action=slack.send', []],
      ['action=input', []],
      [`assignee=${ada?.id}`, [one.id]],
      [`assignee=${vic?.id}`, []],
      [`created_before=${now}`, both],
      ['created_before=2020-01-01T00:00:00Z', []],
      [`q=${encodeURIComponent('"ZüRICH"')}`, [one.id]],
      ['q=no%25thing', []],
      [`q=else&action=${one.pending.tool}`, [other.id]],
    ]
    for (const [query, runs] of cases) assert.deepEqual(await found(query), runs, query)
    assert.equal((await app.call('GET', '/v1/pending?q=ab')).status, 400)
    for (const id of both) await clerk.answered(id, { action: 'reject' })
  })

  it('is commented on, which answers nothing and stays once it is decided', async () => {
    const { id: runId, pending } = await at.waitingRun('talk about it')
    const path = `/v1/pending/${pending.id}/comments`
    await app.post(path, { text: 'first' })
    const written = await ada?.call('POST', path, { text: 'second' })
    assert.deepEqual(written?.body.data.author, { type: 'user', id: ada?.id, name: 'ada' })
    assert.equal((await app.get(`/v1/runs/${runId}`)).status, 'waiting_input')
    await clerk.answered(runId, { action: 'reject' })
    assert.deepEqual(pluck(await app.get(path), 'text'), ['second', 'first'])
    assert.equal((await app.call('POST', path, { body: { text: 'late' } })).status, 404)
  })

  it('is reminded of once, and escalates once to the people that the workflow names; no answer is no yes', async () => {
    const slack = await at.createSlack()
    const hitl = {
      enabled: true,
      remind_after_minutes: 10,
      escalate_after_minutes: 60,
      escalate_to: { users: [ada?.id], roles: ['admin'] },
    }
    const { id: runId, pending } = await at.waitingRun('nobody answers', hitl)
    const list = async (kind: string) => {
      const told = await app.get(`/v1/notifications?pending_id=${pending.id}&limit=100`)
      return told.filter((one: { kind: string; status: string }) => one.kind === kind)
    }
    const sent = async (kind: string, count: number) => {
      await until(`${count} of ${kind}`, 15_000, async () => {
        const all = await list(kind)
        return (
          all.length === count && all.every(({ status }: { status: string }) => status === 'sent')
        )
      })
    }
    await sent('case', 2)
    assert.equal((await list('reminder')).length, 0)
    await age(pending.id, 11)
    await sent('reminder', 2)
    const reminder = await at.mailTo('team@example.org', 'Reminder: this is still waiting')
    const [first] = at.mail.mails.filter(({ text }) => text?.includes('nobody answers'))
    assert.equal(reminder.inReplyTo, first?.messageId)
    const thread = at.slack.messages.find(({ text }) => text.startsWith('Reminder'))
    assert.equal(
      thread?.thread_ts,
      at.slack.messages.find(({ text }) => text.includes('nobody answers'))?.ts,
    )
    assert.equal((await list('escalation')).length, 0)
    await age(pending.id, 60)
    await sent('escalation', 3)
    for (const person of ['ada@example.com', 'boss@example.com']) {
      assert.match((await at.mailTo(person, 'nobody answers')).subject ?? '', /^Escalated: /)
    }
    await sent('reminder', 2)
    assert.equal((await app.get(`/v1/runs/${runId}`)).status, 'waiting_input')
    await app.delete(`/v1/channels/${slack.id}`)
  })

  it('cannot escalate to nobody, or to strangers', async () => {
    const create = (human: object) =>
      app.call('POST', '/v1/workflows', { body: { name: 'w', human_in_the_loop: human } })
    assert.deepEqual(codeOf(await create({ escalate_after_minutes: 5 })), [400, 'required'])
    const strangers = { escalate_after_minutes: 5, escalate_to: { users: ['usr_x'] } }
    assert.deepEqual(codeOf(await create(strangers)), [400, 'unknown_user'])
  })
})
