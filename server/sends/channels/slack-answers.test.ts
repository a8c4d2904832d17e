import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signAsSlack, slackSigningSecret, type SlackPosted } from '../../../rig/slack-server.ts'
import { until } from '../../../rig/until.ts'
import { ask, write } from '../../../test/clerk.ts'
import { prepare } from '../../../test/fixture.ts'
import { codeOf, type Answer, type Person } from '../../../test/api-client.ts'
import { channelsFixture } from './test-channels.ts'

const at = channelsFixture()
const { clerk } = at
const { app, sink } = clerk
let channel: Answer['body']
let ada: Person
prepare(async () => {
  ada = await app.join('ada', 'approver')
  await app.join('bob', 'member')
  await app.join('vic', 'viewer')
  at.slack.users.set('U-ADA', 'Ada@example.com').set('U-BOB', 'bob@example.com')
  at.slack.users.set('U-VIC', 'vic@example.com').set('U-OUT', 'out@example.org')
  channel = await at.createSlack({ signing_secret: slackSigningSecret })
})

async function posted(says: string): Promise<SlackPosted> {
  const find = () =>
    at.slack.messages.find((one) => JSON.stringify(one.blocks).includes(says) && one.ts !== '')
  await until(`a message that says ${says}`, 15_000, () => find() !== undefined)
  return find() as SlackPosted
}
const buttons = ({ blocks }: SlackPosted) =>
  blocks.flatMap(({ elements = [] }) => elements.filter(({ action_id: id }) => id !== undefined))
const idsOf = (message: SlackPosted) => buttons(message).map(({ action_id: id }) => id)

function clickOf(message: SlackPosted, action: string, user: string, clickedAt = '1.1'): string {
  const value = buttons(message).find(({ action_id: id }) => id === action)?.value
  const payload = {
    type: 'block_actions',
    user: { id: user },
    channel: { id: message.channel },
    actions: [{ action_id: action, value, action_ts: clickedAt }],
  }
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
}
async function send(body: string, headers = signAsSlack(body), url = channel.interactivity_url) {
  const response = await fetch(url, { method: 'POST', body, headers })
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  const answer: any = await response.json().catch(() => ({}))
  return { status: response.status, body: answer }
}
const whispers = (user: string) =>
  at.slack.messages.filter((one) => one.user === user).map(({ text }) => text)
const statusOf = async (id: string): Promise<string> => (await app.get(`/v1/runs/${id}`)).status

describe('a Slack message about a case', () => {
  it('is answered by its buttons in the name of the person, and then says who decided', async () => {
    assert.deepEqual([channel.state, channel.has_buttons], ['working', true])
    const run = await at.waitingRun('pay <@U-ADA> *now*')
    const message = await posted('pay <@U-ADA> *now*')
    assert.equal(message.channel, 'C-#approvals')
    assert.deepEqual(idsOf(message), ['approve', 'reject', 'open'])
    assert.ok(!JSON.stringify(message.blocks).includes('mrkdwn'), 'nothing is read as markup')
    assert.equal((await send(clickOf(message, 'approve', 'U-ADA'))).status, 200)
    const ended = await app.rest(run.id)
    assert.deepEqual(ended.steps[0].tool_calls[0].decider, {
      type: 'user',
      id: ada.id,
      name: 'ada',
    })
    await until('it is updated', 15_000, () => message.earlier.length === 1)
    assert.match(message.text, /^Approved by ada\./)
    assert.deepEqual(idsOf(message), [])
    assert.equal(at.slack.messages.filter(({ ts }) => ts === message.ts).length, 1)
  })

  it('is updated where the case is decided elsewhere, and not posted where that was before', async () => {
    const run = await at.waitingRun('decided in the console')
    const message = await posted('decided in the console')
    await clerk.answered(run.id, { action: 'reject', reason: 'no money & <!channel>' })
    await until('it is updated', 15_000, () => message.earlier.length === 1)
    assert.match(message.text, /^Rejected by .* Reason: no money &amp; &lt;!channel&gt;/)
    assert.equal(
      (
        await send(
          clickOf(
            { ...message, blocks: (message.earlier[0] as SlackPosted).blocks },
            'approve',
            'U-ADA',
          ),
        )
      ).status,
      200,
    )
    assert.match(whispers('U-ADA').at(-1) ?? '', /not waiting_input|waits for/)
    assert.ok(!sink.calls.some(({ input }) => input['text'] === 'decided in the console'))
  })

  it('has no buttons for a question, for text too long to show, and for actions that are always sensitive', async () => {
    await clerk.start([ask('What is the colour?')])
    assert.deepEqual(idsOf(await posted('What is the colour?')), ['open'])
    await at.waitingRun(`long ${'x'.repeat(20_000)}`)
    assert.deepEqual(idsOf(await posted('long xxx')), ['open'])
    await app.patch('/v1/policies', { sensitive_actions: ['sink.write'] })
    await at.waitingRun('risky')
    assert.deepEqual(idsOf(await posted('risky')), ['open'])
    await app.patch('/v1/policies', { sensitive_actions: [] })
    const run = await at.waitingRun('risky later')
    const message = await posted('risky later')
    await app.patch('/v1/policies', { sensitive_actions: ['sink.write'] })
    await send(clickOf(message, 'approve', 'U-BOB'))
    assert.match(whispers('U-BOB').at(-1) ?? '', /signed in/)
    assert.equal(await statusOf(run.id), 'waiting_input')
    await app.patch('/v1/policies', { sensitive_actions: [] })
  })

  it('of several calls lists them and links to Muster, and says at the end what became of them', async () => {
    const run = await clerk.start(Array.from({ length: 12 }, (_, n) => write(`list ${n}`, `c${n}`)))
    const message = await posted('list 0')
    assert.deepEqual(idsOf(message), ['open'], 'a button answers one request')
    assert.match(JSON.stringify(message.blocks), /10\. sink\.write.*And 2 more\./)
    const calls = run.pending.calls.map(({ call_id }: { call_id: string }) => call_id)
    const answer = async (ids: string[], action: string) => {
      const decisions = ids.map((call_id) => ({ call_id, action }))
      await app.post(`/v1/runs/${run.id}/respond`, { decisions })
      return app.rest(run.id)
    }
    await answer(calls.slice(0, 1), 'approve')
    assert.equal(message.earlier.length, 0)
    await answer(calls.slice(1), 'reject')
    await until('it is updated', 15_000, () => message.earlier.length === 1)
    assert.match(message.text, /^1 approved, 11 rejected\./)
    assert.deepEqual(idsOf(message), [])
  })

  it('that Slack refuses is tried again, and the channel says why', async () => {
    at.slack.answers.set('chat.postMessage', { ok: false, error: 'not_in_channel' })
    const run = await at.waitingRun('not in channel')
    const find = async () => (await app.get(`/v1/notifications?run_id=${run.id}`))[0]
    await until('a try failed', 15_000, async () => (await find())?.tries === 1)
    assert.match((await find()).error, /invite the app to the channel first/)
    at.slack.answers.clear()
    await app.sql`update notifications set next_attempt_at = now() where run_id = ${run.id}`
    await posted('not in channel')
  })
})

describe('a request to the address of a Slack channel', () => {
  it('answers nothing where it is forged, late, changed, or of another channel', async () => {
    const run = await at.waitingRun('forged')
    const body = clickOf(await posted('forged'), 'approve', 'U-ADA')
    const seconds = Math.floor(Date.now() / 1_000)
    const other = await at.createSlack({ name: 'Other', signing_secret: 'another-secret' })
    const plain = await at.createSlack({ name: 'No buttons' })
    const refused: [string, Record<string, string>, string?, string?][] = [
      ['unsigned', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['another secret', signAsSlack(body, { secret: 'guessed' })],
      ['six minutes old', signAsSlack(body, { at: seconds - 360 })],
      ['from the future', signAsSlack(body, { at: seconds + 360 })],
      ['another body', signAsSlack(`${body}x`)],
      [
        'an old signature',
        { ...signAsSlack(body, { at: seconds - 360 }), 'x-slack-request-timestamp': `${seconds}` },
      ],
      ['to another channel', signAsSlack(body), other.interactivity_url],
      ['to a channel without a secret', signAsSlack(body), plain.interactivity_url],
      ['to no channel', signAsSlack(body), channel.interactivity_url.replace(/.{4}$/, '0000')],
      [
        'to another account',
        signAsSlack(body),
        channel.interactivity_url.replace(/acc_\w+/, 'acc_01ktbz3v9se0c9x1hm8q5gkxvn'),
      ],
    ]
    for (const [what, headers, url] of refused) {
      const answer = await send(body, headers, url)
      assert.deepEqual(codeOf(answer), [401, 'invalid_signature'], what)
    }
    const stolen = await send(
      body,
      signAsSlack(body, { secret: 'another-secret' }),
      other.interactivity_url,
    )
    assert.equal(stolen.status, 200)
    assert.match(whispers('U-ADA').at(-1) ?? '', /of no case here/)
    for (const odd of [
      '',
      'payload=',
      'payload={}',
      'payload=[1]',
      `payload=${encodeURIComponent('{"type":"block_actions","actions":[{"action_id":"approve"}]}')}`,
    ]) {
      assert.equal((await send(odd)).status, 200)
    }
    assert.equal(await statusOf(run.id), 'waiting_input')
    await app.delete(`/v1/channels/${other.id}`)
    await app.delete(`/v1/channels/${plain.id}`)
  })

  it('answers nothing for people without an account here, viewers and who Slack does not tell', async () => {
    const run = await at.waitingRun('strangers')
    const message = await posted('strangers')
    for (const user of ['U-OUT', 'U-VIC', 'U-NOBODY']) {
      assert.equal((await send(clickOf(message, 'approve', user))).status, 200)
      assert.match(whispers(user).at(-1) ?? '', /^Cannot respond to run: /)
    }
    assert.equal(await statusOf(run.id), 'waiting_input')
  })

  it('counts once: two clicks at once, a replay, two people', async () => {
    const run = await at.waitingRun('race')
    const message = await posted('race')
    const bodies = [
      clickOf(message, 'approve', 'U-ADA', '2.1'),
      clickOf(message, 'reject', 'U-BOB', '2.2'),
      clickOf(message, 'approve', 'U-ADA', '2.1'),
    ]
    const answers = await Promise.all(bodies.map((body) => send(body)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const ended = await app.rest(run.id)
    const decided = (await app.events(run.id)).filter(({ type }) => type === 'run.resumed')
    assert.equal(decided.length, 1)
    const made = sink.calls.filter(({ input }) => input['text'] === 'race').length
    assert.equal(made, ended.steps[0].tool_calls[0].decision === 'approved' ? 1 : 0)
    assert.equal((await send(bodies[0] ?? '')).status, 200, 'a replay does nothing')
  })

  it('where several people have to agree, has no buttons, and a click answers nothing', async () => {
    const shown = await at.waitingRun('alone')
    const clickable = await posted('alone')
    await app.patch('/v1/policies', { four_eyes: true })
    await send(clickOf(clickable, 'approve', 'U-ADA', '3.1'))
    assert.match(whispers('U-ADA').at(-1) ?? '', /needs a person who is signed in/)
    assert.equal(await statusOf(shown.id), 'waiting_input')
    await app.patch('/v1/policies', { four_eyes: false })

    const run = await at.waitingRun('both of us', { enabled: true, required_approvals: 2 })
    const message = await posted('both of us')
    assert.deepEqual(idsOf(message), ['open'])
    assert.equal(await statusOf(run.id), 'waiting_input')
  })
})
