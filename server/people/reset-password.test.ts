import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { until } from '../../rig/until.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'

/** Mails that the mail server on loopback has received. */
const mails: { to: string[]; text: string }[] = []
const server = new SMTPServer({
  logger: false,
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, { envelope: { rcptTo } }, done) => {
    let text = ''
    stream.on('data', (part: Buffer) => (text += part.toString()))
    stream.on('end', () => {
      mails.push({ to: rcptTo.map(({ address }) => address), text: text.replaceAll('=\r\n', '') })
      done()
    })
  },
})
let port = 0
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.server.address() as AddressInfo).port
})
after(() => new Promise<void>((resolve) => server.close(resolve)))

describe('a forgotten password', () => {
  const app = fixture(() =>
    startTestApp({
      role: 'api',
      env: {
        MUSTER_SMTP_URL: `smtp://127.0.0.1:${port}`,
        MUSTER_EMAIL_FROM: 'muster@example.com',
      },
    }),
  )
  const send = (path: string, body: object, cookie = '') =>
    app.call('POST', path, { key: null, body, headers: { origin: app.url, cookie } })
  const ask = (address: string) => send('/v1/password-resets', { email: address })
  const signIn = (word: string) => send('/v1/session', { email, password: word })
  const cookieOf = ({ headers }: { headers: Headers }) =>
    headers.getSetCookie()[0]?.split(';')[0] ?? ''
  let cookie = ''
  prepare(async () => {
    const token = new URL(app.setupLink ?? '').hash.slice(1)
    cookie = cookieOf(await send('/v1/setup', { token, email, name: 'Ada', password }))
  })
  const nextToken = async (count: number) => {
    await until(`${count} mails`, 15_000, async () => mails.length === count)
    const [, token = ''] = /reset-password#([\w-]+)/.exec(mails[count - 1]?.text ?? '') ?? []
    return token
  }
  const me = (held: string) =>
    app.call('GET', '/v1/me', { key: null, headers: { origin: app.url, cookie: held } })

  it('is replaced by a mailed link, once, which ends sessions and is audited', async () => {
    const { body } = await app.call('GET', '/v1/session', { key: null })
    assert.equal(body.data.password_reset, true)
    const [known, unknown] = [await ask('Ada@example.com'), await ask('nobody@example.com')]
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body])
    const token = await nextToken(1)
    assert.deepEqual(mails[0]?.to, [email])
    const accept = (given: string, word: string) =>
      send('/v1/password-resets/accept', { token: given, password: word })
    const forged = await accept(`${token.slice(0, -4)}AAAA`, 'another long one')
    assert.equal(forged.body.error.code, 'invalid_link')
    const both = await Promise.all([
      accept(token, 'another long one'),
      accept(token, 'a third long one'),
    ])
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 401],
    )
    const done = both.find(({ status }) => status === 201)
    const word = done === both[0] ? 'another long one' : 'a third long one'
    assert.equal((await me(cookie)).status, 401, 'sessions of before have ended')
    assert.equal((await me(cookieOf(done as never))).status, 200)
    assert.equal((await signIn(password)).status, 401)
    assert.equal((await signIn(word)).status, 201)
    assert.equal((await accept(token, 'a fourth long one')).status, 401)
    const actions = (await app.get('/v1/audit?kind=changes')).map(
      ({ action }: { action: string }) => action,
    )
    for (const action of ['user.reset_requested', 'user.password_reset']) {
      assert.equal(actions.filter((one: string) => one === action).length, 1, action)
    }
    const audit = JSON.stringify(await app.get('/v1/audit'))
    assert.ok(!audit.includes(token) && !audit.includes(word))
  })

  it('gets no link that has ended, and few for one address', async (test) => {
    assert.equal((await ask(email)).status, 200)
    const token = await nextToken(2)
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31 * 60_000 })
    const late = await send('/v1/password-resets/accept', { token, password: 'too late for this' })
    test.mock.timers.reset()
    assert.equal(late.body.error.code, 'invalid_link')
    assert.equal((await ask(email)).status, 200)
    const refused = await ask(email)
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_sign_ins'])
    for (let count = 0; count < 3; count++) await ask('nobody@example.com')
    assert.equal((await ask('nobody@example.com')).status, 429, 'an unknown address as well')
  })
})

describe('without a mail server', () => {
  const app = fixture(() => startTestApp({ role: 'api' }))

  it('no password is reset by email', async () => {
    const { body } = await app.call('GET', '/v1/session', { key: null })
    assert.equal(body.data.password_reset, false)
    const answer = await app.call('POST', '/v1/password-resets', {
      key: null,
      body: { email },
      headers: { origin: app.url },
    })
    assert.equal(answer.status, 404)
  })
})
