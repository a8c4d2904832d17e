import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { imapPassword, startImapServer } from '../../../rig/imap-server.ts'
import { startMailServer } from '../../../cli/operate/mail-server.ts'
import { until } from '../../../rig/until.ts'
import { pluck } from '../../../test/pluck.ts'
import { fixture, prepare } from '../../../test/fixture.ts'
import { codeOf, type Answer } from '../../../test/api-client.ts'
import { callTools, complete, startTestApp } from '../../../test/test-app.ts'
import { makePdf } from '../../files/test-files.ts'

const imap = fixture(() => startImapServer())
const mail = fixture(() => startMailServer())
const app = fixture(() =>
  startTestApp({
    intervals: { mailboxesMs: 20 },
    env: {
      MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MUSTER_EMAIL_FROM: 'Desk <desk@example.com>',
    },
  }),
)
let workflowId = ''
let box: Answer['body']
prepare(async () => {
  workflowId = await app.createWorkflow({ crew: [{ role: 'clerk', systemPrompt: 's' }] })
  box = await create()
})

const create = (fields: object = {}) =>
  app.post('/v1/mailboxes', {
    name: 'Support',
    host: '127.0.0.1',
    port: imap.port,
    secure: 'none',
    username: 'support@example.com',
    password: imapPassword,
    workflow_id: workflowId,
    ...fields,
  })

let count = 0
function message(subject: string, headers: string[] = [], body = 'Where is my order?'): string {
  const lines = [
    'From: Ada Lovelace <Ada@Customer.example>',
    'To: support@example.com',
    `Message-ID: <${++count}@customer.example>`,
    ...headers,
  ]
  if (subject !== '') lines.push(`Subject: ${subject}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}\r\n`
}
/** Makes the next poll due now. */
const look = (id = box.id) => app.sql`update mailboxes set next_poll_at = now() where id = ${id}`
const messages = (id = box.id): Promise<Answer['body'][]> =>
  app.get(`/v1/mailboxes/${id}/messages?limit=100`)
async function settled(subject: string, id = box.id): Promise<Answer['body']> {
  let found: Answer['body']
  await until(`the message ${subject}`, 20_000, async () => {
    await look(id)
    found = (await messages(id)).find((one) => one.subject === subject)
    return found !== undefined && found.status !== 'pending'
  })
  return found
}

describe('a mailbox', () => {
  it('starts a run with sender, subject, text and files of each message, and marks it', async () => {
    assert.equal(box.state, 'working')
    assert.ok(!JSON.stringify(box).includes(imapPassword))
    const pdf = Buffer.from(await makePdf(['Invoice 7'])).toString('base64')
    const body = [
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Gr=FC=DFe, wo ist es?',
      '--b',
      'Content-Type: application/pdf; name="a.pdf"',
      'Content-Disposition: attachment; filename="=?utf-8?Q?Rechnung_=C3=BC.pdf?="',
      'Content-Transfer-Encoding: base64',
      '',
      pdf,
      '--b',
      'Content-Type: application/zip; name="x.zip"',
      'Content-Disposition: attachment; filename="x.zip"',
      'Content-Transfer-Encoding: base64',
      '',
      'UEsDBAo=',
      '--b--',
    ].join('\r\n')
    const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b']
    imap.deliver(message('=?iso-8859-1?Q?Gr=FC=DFe?=', headers, body))
    const seen = await settled('Grüße')
    assert.deepEqual(
      [seen.status, seen.why, seen.sender],
      ['started', null, 'ada@customer.example'],
    )
    const run = await app.rest(seen.run_id)
    const outcomeOf = async () => {
      const again = (await messages()).find(({ id }) => id === seen.id)
      return [again?.run_status, again?.run_has_warnings]
    }
    assert.deepEqual(await outcomeOf(), ['completed', false])
    const warnings = '[{"code":"action_failed","step_order":0,"message":"x"}]'
    await app.sql`update runs set warnings = ${warnings}::text::jsonb where id = ${run.id}`
    assert.deepEqual(await outcomeOf(), ['completed', true])
    assert.equal(run.data.text, 'Grüße, wo ist es?')
    assert.equal(run.data.from_name, 'Ada Lovelace')
    assert.deepEqual(run.data.attachments, ['Rechnung ü.pdf', 'x.zip'])
    assert.match(run.data.attachments_skipped[0], /^x\.zip: /)
    assert.equal(run.files.inputs[0].name, 'Rechnung ü.pdf')
    const { on_behalf_of: people, ...by } = run.triggered_by
    assert.deepEqual(by, { type: 'system', id: box.id, name: 'Support' })
    assert.deepEqual(pluck(people, 'name'), ['first admin key'])
    const marked = imap.messages.at(-1)?.flags
    await until('it is marked', 15_000, () => marked?.has('$Muster') === true)
    assert.ok(marked?.has('\\Seen'))
    assert.ok(!imap.commands.some((one) => /EXPUNGE|\\Deleted|COPY|MOVE/.test(one)))
  })

  it('ignores automatic answers, bounces, bulk and its own sender, and says why', async () => {
    const cases: [string, string[]][] = [
      ['away', ['Auto-Submitted: auto-replied']],
      ['bulk', ['Precedence: bulk']],
      ['bounce', ['Return-Path: <>']],
      ['responder', ['X-Autoreply: yes']],
      ['own', ['From: desk@example.com']],
      ['self', ['From: Support@example.com']],
      ['daemon', ['From: MAILER-DAEMON@x.example']],
      ['nobody', ['From: undisclosed']],
    ]
    for (const [subject, headers] of cases) {
      const text = message(subject, headers)
      imap.deliver(headers[0]?.startsWith('From:') ? text.replace(/^From: Ada.*\r\n/, '') : text)
    }
    for (const [subject] of cases) {
      const seen = await settled(subject)
      assert.deepEqual([seen.status, seen.run_id], ['ignored', null], subject)
      assert.match(seen.why, /^(It|Its) /)
    }
    assert.equal(imap.messages.at(-1)?.flags.size, 0, 'what starts nothing is not marked')
  })

  it('starts one run for a message that is there twice, was moved, or comes again under new numbers', async () => {
    const text = message('only once')
    imap.deliver(text)
    const first = await settled('only once')
    imap.deliver(text)
    imap.renumber()
    imap.deliver(message('after the change'))
    await settled('after the change')
    const same = (await messages()).filter(({ subject }) => subject === 'only once')
    assert.deepEqual([same.length, same[0]?.run_id], [1, first.run_id])
    const { body } = await app.call('GET', `/v1/runs?workflow_id=${workflowId}&limit=100`)
    const started = (await messages()).filter(({ status }) => status === 'started')
    assert.equal(body.data.length, started.length)
  })

  it('lists another message with a known Message-ID', async () => {
    imap.deliver(message('the first', ['X-Copy: 1']))
    const first = await settled('the first')
    count -= 1
    imap.deliver(message('the second'))
    const second = await settled('the second')
    assert.deepEqual([second.status, second.run_id], ['ignored', null])
    assert.equal(second.why, `It has the same Message-ID as ${first.id}, and another content`)
    count -= 1
    imap.deliver(message('the first', ['X-Copy: 2']))
    imap.deliver(message('after the copy'))
    await settled('after the copy')
    const same = (await messages()).filter(({ subject }) => subject === 'the first')
    assert.equal(same.length, 1, 'the same message with another header is no other')
  })

  it('starts nothing for older messages, until a renumbered folder was read whole', async () => {
    await using moved = await startImapServer()
    const other = await create({ port: moved.port, name: 'Moved' })
    const longAgo = new Date(Date.now() - 10 * 86_400_000)
    // More than one pass reads.
    for (let number = 0; number < 55; number++) moved.deliver(message(`new ${number}`))
    moved.deliver(message('new when moved'))
    for (let number = 0; number < 30; number++) moved.deliver(message(`old ${number}`), longAgo)
    // Some servers give a message that is moved the current date.
    moved.deliver(message('old by its header', [`Date: ${longAgo.toUTCString()}`]))
    moved.renumber()
    await settled('new when moved', other.id)
    assert.equal((await settled('old by its header', other.id)).status, 'ignored')
    moved.deliver(message('after the move'))
    await settled('after the move', other.id)
    const old = (await messages(other.id)).filter(({ subject }) => /^old \d/.test(subject))
    assert.deepEqual(old, [])
    await app.delete(`/v1/mailboxes/${other.id}`)
  })

  it('fails a message that cannot be read, with the reason, and reads the next one', async () => {
    const levels = Array.from({ length: 60 }, (_, level) => level)
    const nested = levels.map(
      (level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}`,
    )
    const text = `From: ada@x.example\r\nMIME-Version: 1.0\r\n${nested.join('\r\n')}\r\n\r\nx\r\n`
    imap.deliver(text)
    imap.deliver(message('behind the nested one'))
    assert.equal((await settled('behind the nested one')).status, 'started')
    const failed = (await messages()).find(({ why }) => why?.startsWith('It cannot be read'))
    assert.deepEqual([failed?.status, failed?.run_id], ['failed', null])
    assert.match(failed?.why ?? '', /^It cannot be read: .*nest/i)
  })

  it('is failing, with words, while any other error stops its pass', async (t) => {
    await app.sql`
      create function refuse_messages() returns trigger language plpgsql as $$
      begin raise exception 'secret words' using errcode = 'XX000'; end $$`
    await app.sql`
      create trigger refused before insert on mailbox_messages
      for each row execute function refuse_messages()`
    const mend = () => app.sql`drop trigger if exists refused on mailbox_messages`
    t.after(mend)
    imap.deliver(message('cannot be stored'))
    await until('the mailbox is failing', 20_000, async () => {
      await look()
      return (await app.get(`/v1/mailboxes/${box.id}`)).state === 'failing'
    })
    const { message: words } = await app.get(`/v1/mailboxes/${box.id}`)
    assert.equal(words, 'Reading stopped: the database refused it (XX000)')
    await mend()
    assert.equal((await settled('cannot be stored')).status, 'started')
    assert.equal((await app.get(`/v1/mailboxes/${box.id}`)).state, 'working')
  })

  it('goes on after connections that break anywhere, each message one run', async () => {
    imap.cuts.push(/LOGIN/, /SEARCH/, /UID FETCH \d+ \(UID BODY/, /UID STORE/, /SELECT/)
    for (let number = 0; number < 60; number++) imap.deliver(message(`many ${number}`))
    await until('all have a run', 30_000, async () => {
      await look()
      const all = await app.sql`
        select count(*)::int as count from mailbox_messages
        where subject like 'many %' and status = 'started'`
      return all[0].count === 60
    })
    assert.deepEqual(imap.cuts, [])
    const runs = await app.sql`
      select count(*)::int as count from runs where input like '%"subject":"many %'`
    assert.equal(runs[0].count, 60)
  })

  it('takes only the senders and subjects that it is for', async () => {
    const picky = await create({
      name: 'Picky',
      senders: ['@customer.example'],
      subject_contains: 'ORDER',
    })
    imap.deliver(message('my holidays'))
    imap.deliver(message('order of another').replace('Ada@Customer.example', 'eve@evil.example'))
    assert.match((await settled('my holidays', picky.id)).why, /subject/)
    assert.match((await settled('order of another', picky.id)).why, /sender/)
    await app.delete(`/v1/mailboxes/${picky.id}`)
  })

  it('keeps why a run was refused', async () => {
    const workflow = await app.createWorkflow({ name: 'Strict' })
    const held = await create({ name: 'Held', workflow_id: workflow })
    const schema = { type: 'object', required: ['order'] }
    await app.patch(`/v1/workflows/${workflow}`, { input_schema: schema })
    imap.deliver(message('third'))
    const refused = await settled('third', held.id)
    assert.equal(refused.status, 'failed')
    assert.match(refused.why, /order/)
    await app.delete(`/v1/mailboxes/${held.id}`)
  })

  it('sends no password without TLS, unless it is told to', async () => {
    const username = 'strict@example.com'
    for (const secure of ['starttls', undefined]) {
      const strict = await create({ name: `Strict ${secure}`, secure, username })
      assert.deepEqual([strict.secure, strict.state], ['starttls', 'failing'])
      assert.match(strict.message, /offers no STARTTLS, so no password was sent: set secure/)
      await app.delete(`/v1/mailboxes/${strict.id}`)
    }
    assert.deepEqual(
      imap.commands.filter((line) => line.includes(username)),
      [],
    )
    const { secure: changed } = await app.get(`/v1/mailboxes/${box.id}`)
    assert.equal(changed, 'none')
    const weaker = { secure: 'tls' }
    const elsewhere = await app.call('PATCH', `/v1/mailboxes/${box.id}`, { body: weaker })
    assert.deepEqual(codeOf(elsewhere), [400, 'required'])
  })

  it('believes a sender that its mail server has authenticated, where that matters', async () => {
    const strict = await create({ name: 'Strict', require_authenticated: true })
    const results = (verdict: string) =>
      `Authentication-Results: mx.example.com; dmarc=${verdict} header.from=customer.example`
    imap.deliver(message('genuine', [results('pass')]))
    imap.deliver(message('forged', [results('fail')]))
    imap.deliver(message('unknown'))
    const outcomes = await Promise.all(
      ['genuine', 'forged', 'unknown'].map((subject) => settled(subject, strict.id)),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['started', 'ignored', 'ignored'],
    )
    assert.match(outcomes[1].why, /dmarc=fail/)
    assert.match(outcomes[2].why, /not authenticated/)
    await app.delete(`/v1/mailboxes/${strict.id}`)
  })

  it('is failing while the server refuses the login, without the password in its words', async () => {
    imap.isLockedOut = true
    const tested = await app.post(`/v1/mailboxes/${box.id}/test`)
    assert.equal(tested.ok, false)
    assert.match(tested.message, /account locked/)
    imap.isLockedOut = false
    assert.equal((await app.post(`/v1/mailboxes/${box.id}/test`)).ok, true)
    const elsewhere = await app.call('PATCH', `/v1/mailboxes/${box.id}`, {
      body: { host: 'localhost' },
    })
    assert.deepEqual(codeOf(elsewhere), [400, 'required'])
    const folder = await create({ name: 'No folder', folder: 'Nowhere' })
    assert.equal(folder.state, 'failing')
    await app.delete(`/v1/mailboxes/${folder.id}`)
  })

  it('is answered in its thread', async () => {
    const agentId = await app.createAgent({ connectors: ['email'], capabilities: ['email.send'] })
    const answering = await app.createWorkflow({
      crew: [{ role: 'clerk', systemPrompt: 's', agentId }],
      human_in_the_loop: { approvals: 'never' },
    })
    await app.patch(`/v1/mailboxes/${box.id}`, { workflow_id: answering })
    app.answer = (request, response) => {
      const text = request.messages.map(({ content }) => content).join('\n')
      const id = /"message_id": ?"([^"]+)"/.exec(text)?.[1] ?? ''
      if (request.messages.at(-1)?.role === 'tool') return complete(response, 'answered')
      const to = { to: 'ada@customer.example', subject: 'Re: lost', text: 'It is on its way.' }
      callTools(response, [{ name: 'email__send', arguments: { ...to, in_reply_to: id } }])
    }
    imap.deliver(message('lost'))
    const seen = await settled('lost')
    assert.equal((await app.rest(seen.run_id)).output, 'answered')
    const answer = mail.mails.find(({ inReplyTo }) => inReplyTo === seen.message_id)
    assert.ok(answer)
    assert.equal(answer?.references, seen.message_id)
  })
})
