import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { actOnce, ask, write } from '../../../test/clerk.ts'
import { prepare } from '../../../test/fixture.ts'
import type { Person } from '../../../test/api-client.ts'
import { channelsFixture } from './test-channels.ts'

const at = channelsFixture()
const { clerk } = at
const { app } = clerk
const people: Record<string, Person> = {}
prepare(async () => {
  for (const [name, role] of [
    ['ada', 'approver'],
    ['bob', 'member'],
    ['vic', 'viewer'],
    ['eve', 'approver'],
  ] as const) {
    people[name] = await app.join(name, role)
  }
  const to = ['ada@example.com', 'bob@example.com', 'vic@example.com', 'team@example.org']
  await at.createEmail(to)
})

const linkIn = (text = '') => /http:\/\/[\w.:]+\/answer\/([\w-]+)/.exec(text)?.[0]

/** Loads the page of a link as a browser does. */
async function visit(link: string, init: RequestInit = {}) {
  const response = await fetch(link, init)
  const html = await response.text()
  const nonce = /data-nonce="([^"]+)"/.exec(html)?.[1]
  return { status: response.status, html, nonce, headers: response.headers }
}

/** Sends what the script of the page sends after a click. */
async function click(link: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(link, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: app.url,
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  const answer: any = await response.json().catch(() => null)
  return { status: response.status, code: answer?.error?.code as string | undefined, answer }
}

async function mailedCase(text: string, hitl?: object, receiver = 'ada@example.com') {
  const run = await at.waitingRun(text, hitl)
  const mail = await at.mailTo(receiver, text)
  return { run, mail, link: linkIn(mail.text) ?? '' }
}
const statusOf = async (id: string): Promise<string> => (await app.get(`/v1/runs/${id}`)).status

describe('an email about a case', () => {
  it('lets a person who never opens the console decide, and shows the outcome', async () => {
    const { run, mail, link } = await mailedCase('pay the <b>rent</b>')
    assert.match(mail.subject ?? '', /^Approval needed: sink\.write \(text: pay the <b>rent/)
    assert.match(mail.text ?? '', /clerk, in the workflow w, asks to run sink\.write/)
    assert.match(mail.html ?? '', /pay the &#60;b&#62;rent/)
    assert.ok(!/<img|<script|src=/.test(mail.html ?? ''), 'nothing is loaded')
    assert.equal(mail.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated')

    const page = await visit(link)
    assert.equal(page.status, 200)
    assert.match(page.html, /pay the &#60;b&#62;rent/)
    assert.doesNotMatch(page.html, /<form/)
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)

    const answered = await click(link, { action: 'approve', nonce: page.nonce, reason: 'fine' })
    assert.equal(answered.status, 200)
    const ended = await app.rest(run.id)
    assert.equal(ended.status, 'completed')
    const [call] = ended.steps[0].tool_calls
    assert.deepEqual(
      [call.decision, call.decider, call.reason],
      ['approved', { type: 'user', id: people['ada']?.id, name: 'ada' }, 'fine'],
    )
    const after = await visit(link)
    assert.match(after.html, /Approved by ada\. Reason: fine/)
    assert.equal(after.nonce, undefined)
    const audit = await app.get(`/v1/audit?object_id=${run.id}&action=run.responded`)
    assert.deepEqual(audit[0].actor, { type: 'user', id: people['ada']?.id, name: 'ada' })
  })

  it('comes once to each recipient, also with several processes, and once more for the next request', async () => {
    await using _other = await app.startAnother('worker')
    const { run } = await mailedCase('once please')
    const about = async () =>
      (await app.get(`/v1/notifications?pending_id=${run.pending.id}`)) as {
        status: string
        recipient: string
      }[]
    await until('all are sent', 15_000, async () =>
      (await about()).every(({ status }) => status === 'sent'),
    )
    assert.equal((await about()).length, 4)
    const sent = at.mail.mails.filter(({ text }) => text?.includes('once please'))
    assert.deepEqual(sent.flatMap(({ receivers }) => receivers).sort(), [
      'ada@example.com',
      'bob@example.com',
      'team@example.org',
      'vic@example.com',
    ])
  })

  it('leads who may not answer to the console: a viewer, and an address of no user', async () => {
    const { run } = await mailedCase('who are you')
    for (const receiver of ['vic@example.com', 'team@example.org']) {
      const mail = await at.mailTo(receiver, 'who are you')
      assert.equal(linkIn(mail.text), undefined)
      assert.ok(mail.text?.includes(`/inbox/${run.pending.id}`))
    }
  })

  it('asks a question, whose answer goes to the agent', async () => {
    const run = await clerk.start([ask('Which colour?')])
    const link = linkIn((await at.mailTo('bob@example.com', 'Which colour?')).text) ?? ''
    const page = await visit(link)
    const empty = await click(link, { action: 'input', nonce: page.nonce })
    assert.equal(empty.status, 400)
    assert.equal(
      (await click(link, { action: 'input', nonce: page.nonce, input: 'blue' })).status,
      200,
    )
    assert.match((await app.rest(run.id)).output, /blue/)
  })

  it('asks for money with the sums, and says afterwards who decided', async () => {
    const limits = { on_cost: 'ask', max_cost_usd: 0.000001 }
    const workflowId = await clerk.createWorkflow({ enabled: false }, { limits, name: 'Dear' })
    const run = await app.run(workflowId)
    const mail = await at.mailTo('bob@example.com', 'Next call: up to')
    assert.equal(mail.subject, 'Approval needed: more budget for Dear')
    assert.match(
      mail.text ?? '',
      /Spent: 0 USD\nLimit: 0\.000001 USD\nNext call: up to 0\.00\d+ USD/,
    )
    const link = linkIn(mail.text) ?? ''
    const { html, nonce } = await visit(link)
    assert.match(html, /New total limit for the run \(USD\)<input type="number"/)
    const without = await click(link, { action: 'approve', nonce })
    assert.deepEqual([without.status, without.code], [400, 'required'])
    assert.equal((await click(link, { action: 'approve', nonce, max_cost_usd: 1 })).status, 200)
    assert.equal((await app.rest(run.id)).status, 'completed')
    assert.match((await visit(link)).html, /Approved by bob\./)
  })

  it('says who decided elsewhere, and is not sent once that is so', async () => {
    const { run, link } = await mailedCase('decided elsewhere')
    await clerk.answered(run.id, { action: 'reject', reason: 'too dear' })
    const { html } = await visit(link)
    assert.match(html, /Rejected by .*Reason: too dear/)
  })

  it('that the server refuses is tried again and shown, and the channel is failing meanwhile', async () => {
    at.mail.refused.add('bob@example.com')
    const { run } = await mailedCase('refused at first')
    const ofBob = async () =>
      (await app.get(`/v1/notifications?pending_id=${run.pending.id}`)).find(
        ({ recipient }: { recipient: string }) => recipient === 'bob@example.com',
      )
    await until('a try failed', 15_000, async () => (await ofBob())?.tries === 1)
    const failed = await ofBob()
    assert.match(failed.error, /refused/)
    assert.equal(failed.status, 'pending')
    at.mail.refused.clear()
    await app.sql`update notifications set next_attempt_at = now() where id = ${failed.id}`
    await until('it is sent', 15_000, async () => (await ofBob())?.status === 'sent')
    assert.equal((await ofBob()).error, null)
  })
})

describe('an email about several calls', () => {
  interface Call {
    call_id: string
    pending_id: string
  }
  /** The calls that a page offers, as its script sends them. */
  const callsOn = (html: string): Call[] =>
    [...html.matchAll(/data-call="(\w+)" data-pending="(\w+)"/g)].map(
      ([, call_id = '', pending_id = '']) => ({ call_id, pending_id }),
    )
  async function mailedCalls(name: string, hitl?: object) {
    const run = await clerk.start(
      ['one', 'two', 'three'].map((text) => write(`${name} ${text}`, text)),
      hitl,
    )
    const mail = await at.mailTo('ada@example.com', `${name} one`)
    return { run, mail, link: linkIn(mail.text) ?? '' }
  }
  const mailsOf = (text: string) =>
    at.mail.mails.filter(
      (one) => one.receivers.includes('ada@example.com') && one.text?.includes(text),
    )

  it('offers a call that may have been done already by itself, not together with the others', async () => {
    const { run, link } = await mailedCalls('doubt')
    const { call_id: doubted } = run.pending
    await app.sql`update tool_calls set status = 'unknown', started_at = now() where id = ${doubted}`
    const { html } = await visit(link)
    assert.equal(callsOn(html).length, 3)
    assert.match(html, /Approve all 2/)
    assert.match(html, new RegExp(`data-call="${doubted}" data-pending="\\w+">`))
    await app.post(`/v1/runs/${run.id}/cancel`)
  })

  it('is one message, and its page decides them one by one and together', async () => {
    const { run, mail, link } = await mailedCalls('walk')
    assert.equal(mail.subject, 'Approval needed: 3 actions of clerk')
    assert.match(mail.text ?? '', /1\. sink\.write \(text: walk one\).*3\. sink\.write/s)
    const page = await visit(link)
    assert.match(page.html, /Approve all 3/)
    const [one, two, three] = callsOn(page.html)
    const first = { nonce: page.nonce, decisions: [{ ...two, action: 'approve' }] }
    assert.equal((await click(link, first)).status, 200)
    const after = await app.rest(run.id)
    assert.deepEqual([after.pending.calls.length, after.pending.case_id], [2, run.pending.id])
    const again = { ...first, decisions: [{ ...one, action: 'approve' }] }
    assert.deepEqual((await click(link, again)).answer.data.decisions, [
      { call_id: two?.call_id, decision: 'approved' },
    ])
    const next = await visit(link)
    assert.deepEqual(callsOn(next.html), [one, three], 'the same link goes on')
    assert.match(next.html, /Approve all 2/)
    const stale = { nonce: next.nonce, decisions: [{ ...two, action: 'reject' }] }
    assert.equal((await click(link, stale)).code, 'call_decided')
    const rest = [
      { ...one, action: 'approve' },
      { ...three, action: 'reject', reason: 'no' },
    ]
    assert.equal((await click(link, { nonce: next.nonce, decisions: rest })).status, 200)
    assert.equal((await app.rest(run.id)).status, 'completed')
    const { html, nonce } = await visit(link)
    assert.equal(nonce, undefined)
    assert.match(html, /2 approved, 1 rejected\./)
    assert.match(html, /walk three.*Rejected by ada\. Reason: no/s)
    await until('no message is open', 15_000, async () => {
      const told = await app.sql`select from notifications where run_id = ${run.id} and is_open`
      return told.length === 0
    })
    assert.equal(mailsOf('walk').length, 1, 'nobody is told twice of one case')
  })

  it('answers nothing while an approved call is being made, and goes on after', async () => {
    const { run, link } = await mailedCalls('busy')
    const page = await visit(link)
    const [one, two] = callsOn(page.html)
    const held = Promise.withResolvers<void>()
    clerk.sink.onCall = (_response, answer) => void held.promise.then(answer)
    assert.equal(
      (await click(link, { nonce: page.nonce, decisions: [{ ...one, action: 'approve' }] })).status,
      200,
    )
    const busy = await visit(link)
    assert.match(busy.html, /http-equiv="refresh".*is executing the decisions/s)
    assert.equal(busy.nonce, undefined)
    const other = await app.row`select count(*)::int as count from notifications
      where run_id = ${run.id} and is_open`
    assert.ok(other['count'] > 0, 'its messages stay open')
    held.resolve()
    clerk.sink.onCall = undefined
    await app.rest(run.id)
    const later = await visit(link)
    const decisions = [{ ...two, action: 'approve' }]
    assert.equal((await click(link, { nonce: later.nonce, decisions })).status, 200)
    const last = await app.rest(run.id)
    const alone = await visit(link)
    assert.deepEqual(callsOn(alone.html), [], 'one is left, which is a request as any other')
    assert.equal((await click(link, { nonce: alone.nonce, action: 'approve' })).status, 200)
    assert.equal((await app.rest(run.id)).status, 'completed')
    assert.equal(last.pending.calls, undefined)
    assert.equal(mailsOf('busy').length, 1)
  })

  it('asks each person only for what they have not approved yet', async () => {
    const { run, link } = await mailedCalls('both', { enabled: true, required_approvals: 2 })
    const page = await visit(link)
    const [one] = callsOn(page.html)
    await click(link, { nonce: page.nonce, decisions: [{ ...one, action: 'approve' }] })
    const mine = await visit(link)
    assert.equal(callsOn(mine.html).length, 2)
    const others = linkIn(
      at.mail.mails.find(
        ({ receivers, text }) =>
          receivers.includes('bob@example.com') && text?.includes('both one'),
      )?.text,
    )
    assert.equal(callsOn((await visit(others ?? '')).html).length, 3)
    await app.post(`/v1/runs/${run.id}/cancel`, {})
    assert.equal((await visit(link)).nonce, undefined)
  })
})

describe('a visit that is no person with the right to answer', () => {
  const approve = { action: 'approve' }

  it('changes nothing: previews, prefetches and scanners', async () => {
    const { run, link } = await mailedCase('scanned')
    const browser = { accept: 'text/html', 'user-agent': 'Mozilla/5.0' }
    const visits: [string, RequestInit][] = [
      ['HEAD', { method: 'HEAD' }],
      ['GET of a preview', { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } }],
      ['prefetch', { headers: { ...browser, 'sec-purpose': 'prefetch' } }],
      ['prerender', { headers: { ...browser, 'sec-purpose': 'prefetch;prerender' } }],
      ['GET by a scanner that follows redirects', { redirect: 'follow', headers: browser }],
      ['GET with an answer in the query', { headers: browser }],
      ['OPTIONS', { method: 'OPTIONS' }],
      ['PUT', { method: 'PUT', body: '{}' }],
      ['DELETE', { method: 'DELETE' }],
    ]
    for (const [what, init] of visits) {
      const url = what.includes('query') ? `${link}?action=approve&nonce=x` : link
      await fetch(url, init)
      assert.equal(await statusOf(run.id), 'waiting_input', what)
    }
    const { nonce } = await visit(link)
    const own = { 'content-type': 'application/x-www-form-urlencoded', origin: app.url }
    const posts: [string, Record<string, string>, string][] = [
      ['an empty form', own, ''],
      ['a form with an answer', own, 'action=approve'],
      ['a form with the nonce', own, `action=approve&nonce=${nonce}`],
      [
        'plain text',
        { 'content-type': 'text/plain', origin: app.url },
        JSON.stringify({ ...approve, nonce }),
      ],
      [
        'no nonce',
        { 'content-type': 'application/json', origin: app.url },
        JSON.stringify(approve),
      ],
      [
        'a made-up nonce',
        { 'content-type': 'application/json', origin: app.url },
        JSON.stringify({ ...approve, nonce: 'abcd' }),
      ],
      ['no origin', { 'content-type': 'application/json' }, JSON.stringify({ ...approve, nonce })],
      [
        'an opaque origin',
        { 'content-type': 'application/json', origin: 'null' },
        JSON.stringify({ ...approve, nonce }),
      ],
      [
        'another site',
        { 'content-type': 'application/json', origin: 'https://evil.example' },
        JSON.stringify({ ...approve, nonce }),
      ],
      [
        'another site of this origin by its word',
        { 'content-type': 'application/json', origin: app.url, 'sec-fetch-site': 'cross-site' },
        JSON.stringify({ ...approve, nonce }),
      ],
      [
        'other arguments',
        { 'content-type': 'application/json', origin: app.url },
        JSON.stringify({ ...approve, nonce, tool_input: { text: 'x' } }),
      ],
    ]
    for (const [what, headers, body] of posts) {
      const { status } = await fetch(link, { method: 'POST', headers, body })
      assert.ok(status >= 400, `${what} answered ${status}`)
      assert.equal(await statusOf(run.id), 'waiting_input', what)
    }
    assert.equal((await click(link, { ...approve, nonce })).status, 200, 'the person still can')
  })

  it('answers nothing: links of another case, changed links, unknown ones', async () => {
    const one = await mailedCase('case one')
    const two = await mailedCase('case two')
    const { nonce } = await visit(one.link)
    assert.equal((await click(two.link, { ...approve, nonce })).code, 'invalid_link', 'its nonce')
    const token = one.link.split('/').at(-1) ?? ''
    const others = [
      token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
      token.slice(0, 44) + (two.link.split('/').at(-1) ?? '').slice(44),
      `${token}A`,
      'x',
      'A'.repeat(67),
    ]
    for (const other of others) {
      const url = `${app.url}/answer/${other}`
      assert.equal((await visit(url)).status, 404, other)
      assert.ok((await click(url, { ...approve, nonce })).status >= 400)
    }
    for (const { run } of [one, two]) assert.equal(await statusOf(run.id), 'waiting_input')
  })

  it('answers nothing: a nonce that was used, one that expired, a page of other arguments', async () => {
    const used = await mailedCase('used link')
    const { nonce } = await visit(used.link)
    assert.equal((await click(used.link, { action: 'reject', nonce })).status, 200)
    await app.rest(used.run.id)
    assert.equal((await click(used.link, { ...approve, nonce })).code, 'run_not_waiting')
    assert.equal(
      clerk.sink.calls.some(({ input }) => input['text'] === 'used link'),
      false,
    )

    const changed = await mailedCase('first wording', { enabled: true, required_approvals: 2 })
    const stale = await visit(changed.link)
    const edit = { action: 'approve', tool_input: { text: 'second wording' } }
    const path = `/v1/runs/${changed.run.id}/respond`
    assert.equal((await people['bob']?.call('POST', path, edit))?.status, 202)
    const refused = await click(changed.link, { ...approve, nonce: stale.nonce })
    assert.equal(refused.code, 'run_not_waiting', 'the arguments are others')
    const next = linkIn((await at.mailTo('ada@example.com', 'second wording')).text) ?? ''
    assert.notEqual(next, changed.link)
    assert.equal((await click(next, { ...approve, nonce: (await visit(next)).nonce })).status, 200)
    assert.equal((await app.rest(changed.run.id)).status, 'completed')
  })

  it("answers nothing: another person's session, a person who is no approver, who left or lost the role", async () => {
    const { run, link } = await mailedCase('whose session')
    const { nonce } = await visit(link)
    const cookie = people['bob']?.cookie ?? ''
    const seen = await visit(link, { headers: { cookie } })
    assert.equal(seen.nonce, undefined)
    assert.doesNotMatch(seen.html, /whose session/)
    assert.equal((await click(link, { ...approve, nonce }, { cookie })).code, 'not_an_approver')

    const admins = { enabled: true, approvers: { users: [], roles: ['admin'] } }
    const others = await mailedCase('not for ada', admins)
    const page = await visit(others.link)
    assert.match(page.html, /not an approver/)
    assert.equal((await click(others.link, { ...approve, nonce })).status, 401)
    assert.equal(await statusOf(others.run.id), 'waiting_input')

    await app.patch(`/v1/users/${people['ada']?.id}`, { role: 'viewer' })
    assert.equal((await visit(link)).status, 404)
    assert.equal((await click(link, { ...approve, nonce })).code, 'invalid_link')
    await app.patch(`/v1/users/${people['ada']?.id}`, { role: 'approver' })
    assert.equal(await statusOf(run.id), 'waiting_input')
    assert.equal((await click(link, { ...approve, nonce })).status, 200)
  })

  it('answers nothing where two people have to approve and one comes twice', async () => {
    const { run, link } = await mailedCase('twice', { enabled: true, required_approvals: 2 })
    const { nonce } = await visit(link)
    assert.equal((await click(link, { ...approve, nonce })).answer.data.status, 'waiting_input')
    const repeated = await click(link, { ...approve, nonce })
    assert.equal(repeated.code, 'already_approved')
    assert.match((await visit(link)).html, /You have approved this/)
    assert.equal(await statusOf(run.id), 'waiting_input')
    const other = linkIn((await at.mailTo('bob@example.com', 'twice')).text) ?? ''
    assert.equal(
      (await click(other, { ...approve, nonce: (await visit(other)).nonce })).status,
      200,
    )
    assert.equal((await app.rest(run.id)).status, 'completed')
  })

  it('answers nothing without a sign-in where several have to agree and the account chose the mail server', async () => {
    const credentials = {
      host: '127.0.0.1',
      port: at.mail.port,
      secure: false,
      from: 'Own <own@example.com>',
    }
    assert.equal((await app.call('PUT', '/v1/connectors/email', { body: credentials })).status, 200)
    const twice = { enabled: true, required_approvals: 2 }
    const { run, link } = await mailedCase('own server', twice, 'bob@example.com')
    assert.equal((await visit(link)).nonce, undefined)
    const cookie = people['bob']?.cookie ?? ''
    const { nonce } = await visit(link, { headers: { cookie } })
    for (const action of ['approve', 'reject']) {
      assert.equal((await click(link, { action, nonce })).code, 'sign_in_required')
    }
    assert.equal(await statusOf(run.id), 'waiting_input')
    // A single approval needs no second person, so its link still answers.
    const single = await mailedCase('own server, one', { enabled: true })
    assert.ok((await visit(single.link)).nonce)
    await app.patch('/v1/policies', { four_eyes: true })
    assert.equal((await visit(single.link)).nonce, undefined)
    await app.patch('/v1/policies', { four_eyes: false })
    // The connector that sent the link counts, not the one that is connected when it is opened.
    await app.call('DELETE', '/v1/connectors/email')
    assert.equal((await visit(link)).nonce, undefined)
    assert.equal((await click(link, { ...approve, nonce }, { cookie })).status, 200)
  })

  it('answers nothing without a sign-in where the action is always sensitive', async () => {
    await app.patch('/v1/policies', { sensitive_actions: ['sink.write'] })
    const { run, link } = await mailedCase('high risk', undefined, 'bob@example.com')
    const page = await visit(link)
    assert.equal(page.nonce, undefined)
    assert.match(page.html, /Sign in and decide/)
    const cookie = people['bob']?.cookie ?? ''
    const signedIn = await visit(link, { headers: { cookie } })
    assert.ok(signedIn.nonce)
    const body = { ...approve, nonce: signedIn.nonce }
    assert.equal((await click(link, body)).code, 'sign_in_required')
    assert.equal(await statusOf(run.id), 'waiting_input')
    assert.equal((await click(link, body, { cookie })).status, 200)
    await app.patch('/v1/policies', { sensitive_actions: [] })
  })

  it('answers nothing once the time to answer is over, and four eyes hold', async () => {
    const { run, link } = await mailedCase('too late', { enabled: true, timeout_seconds: 600 })
    const { nonce } = await visit(link)
    await app.sql`update runs set expires_at = now() - interval '1 second' where id = ${run.id}`
    const late = await click(link, { ...approve, nonce })
    assert.equal(late.code, 'run_not_waiting')

    await app.patch('/v1/policies', { four_eyes: true })
    app.answer = actOnce(write('four eyes'))
    const workflowId = await clerk.createWorkflow()
    const path = `/v1/workflows/${workflowId}/runs`
    const started = await people['bob']?.call('POST', path, { input: 'mine' })
    await app.rest(started?.body.data.id)
    const mine = linkIn((await at.mailTo('bob@example.com', 'four eyes')).text) ?? ''
    const page = await visit(mine)
    const refused = await click(mine, { ...approve, nonce: page.nonce })
    assert.equal(refused.code, 'four_eyes')
    await app.patch('/v1/policies', { four_eyes: false })
  })

  it('two clicks at once are one answer', async () => {
    const { run, link } = await mailedCase('double click')
    const { nonce } = await visit(link)
    const both = await Promise.all([
      click(link, { ...approve, nonce }),
      click(link, { ...approve, nonce }),
    ])
    assert.ok(both.some(({ status }) => status === 200))
    await app.rest(run.id)
    const made = clerk.sink.calls.filter(({ input }) => input['text'] === 'double click')
    assert.equal(made.length, 1)
  })
})
