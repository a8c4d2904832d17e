import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { Webhook } from 'standardwebhooks'
import { makeSecret, signHeaders } from '../server/sends/webhooks/delivery.ts'
import {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookEvent,
  type WebhookVerificationCode,
} from './index.ts'

const id = 'evt_1'
const secret = makeSecret()
const now = new Date('2026-11-21T09:00:00.500Z')
const nowSeconds = Math.floor(now.getTime() / 1000)
const event = {
  type: 'run.completed',
  timestamp: '2026-11-21T09:00:00.000Z',
  data: { id: 'run_1', output: 'é 漢 🙂\n', sequence: 5 },
}
const body = JSON.stringify(event)

function sign(text = body, secrets = [secret], timestampSeconds = nowSeconds) {
  return signHeaders({ id, timestampSeconds, body: text }, secrets)
}

async function refuses(
  code: WebhookVerificationCode,
  call: () => Promise<WebhookEvent>,
  message?: RegExp,
): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof WebhookVerificationError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, /^Cannot verify webhook: /)
    if (message !== undefined) assert.match(error.message, message)
    return true
  })
}

describe('verifyWebhook accepts', () => {
  it('what the service signs, as text and as bytes, with the id of the event', async () => {
    const bytes = new TextEncoder().encode(body)
    const part = new Uint8Array([1, ...bytes, 2]).subarray(1, -1)
    const foreign: unknown = runInNewContext('new Uint8Array(bytes).buffer', { bytes: [...bytes] })
    const buffers = [bytes.buffer, foreign as ArrayBuffer]
    for (const payload of [body, Buffer.from(body), bytes, part, ...buffers]) {
      assert.deepEqual(await verifyWebhook(payload, sign(), secret, { now }), { id, ...event })
    }
  })

  it('what the reference package signs', async () => {
    const webhook = new Webhook(secret)
    const headers = { ...sign(), 'webhook-signature': webhook.sign(id, now, body) }
    assert.equal((await verifyWebhook(body, headers, secret, { now })).id, id)
    assert.deepEqual(headers, sign())
  })

  it('headers of fetch, of Node and in capitals', async () => {
    const headers = sign()
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    const lists = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    )
    for (const one of [new Headers(headers), upper, lists]) {
      assert.equal((await verifyWebhook(body, one, secret, { now })).id, id)
    }
  })

  it('either of two secrets, on both sides', async () => {
    const other = makeSecret()
    await verifyWebhook(body, sign(body, [other, secret]), secret, { now })
    await verifyWebhook(body, sign(body, [secret, other]), secret, { now })
    await verifyWebhook(body, sign(), [other, secret], { now })
    await verifyWebhook(body, sign(), [`${secret}\n`], { now })
    await refuses('no_match', () => verifyWebhook(body, sign(), [other, makeSecret()], { now }))
  })

  it('signatures of versions to come beside its own', async () => {
    const headers = sign()
    headers['webhook-signature'] = `v1a,AAAA v2 ${headers['webhook-signature']} v1,`
    assert.equal((await verifyWebhook(body, headers, secret, { now })).id, id)
  })

  it('event types that it does not know', async () => {
    const text = JSON.stringify({ ...event, type: 'run.later' })
    const { type } = await verifyWebhook(text, sign(text), secret, { now })
    assert.equal(type, 'run.later')
  })

  it('timestamps within the tolerance, before and after', async () => {
    for (const seconds of [-300, 300]) {
      await verifyWebhook(body, sign(body, [secret], nowSeconds + seconds), secret, { now })
    }
    const old = sign(body, [secret], nowSeconds - 3_600)
    await verifyWebhook(body, old, secret, { now, toleranceSeconds: 3_600 })
    await verifyWebhook(body, sign(body, [secret], Math.floor(Date.now() / 1000)), secret)
  })
})

describe('verifyWebhook refuses', () => {
  it('any changed byte of the body, of the id and of the timestamp', async () => {
    const bytes = Buffer.from(body)
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] as number) ^ 1
      await refuses('no_match', () => verifyWebhook(changed, sign(), secret, { now }))
    }
    await refuses('no_match', () => verifyWebhook(`${body} `, sign(), secret, { now }))
    for (const [name, value] of [
      ['webhook-id', 'evt_2'],
      ['webhook-timestamp', String(nowSeconds + 1)],
    ] as const) {
      await refuses('no_match', () =>
        verifyWebhook(body, { ...sign(), [name]: value }, secret, { now }),
      )
    }
  })

  it('a wrong secret', async () => {
    await refuses('no_match', () => verifyWebhook(body, sign(), makeSecret(), { now }), /raw body/)
  })

  it('signatures that are cut, empty, long or none', async () => {
    const [signature] = Object.values(sign()).slice(-1) as [string]
    for (const wrong of [
      signature.slice(0, -4),
      `${signature}AAAA`,
      signature.slice(3),
      signature.replace('v1', 'v2'),
      'v1,',
      ',',
      'v1,%%%%',
    ]) {
      await refuses('no_match', () =>
        verifyWebhook(body, { ...sign(), 'webhook-signature': wrong }, secret, { now }),
      )
    }
  })

  it('a timestamp that is too old, too new or none', async () => {
    for (const [seconds, message] of [
      [-301, /301 seconds old, expected up to 300/],
      [301, /301 seconds in the future/],
    ] as const) {
      const headers = sign(body, [secret], nowSeconds + seconds)
      await refuses('bad_timestamp', () => verifyWebhook(body, headers, secret, { now }), message)
    }
    for (const wrong of ['soon', '-1', '1e3', '1.5', '0x10', '9'.repeat(13)]) {
      await refuses('bad_timestamp', () =>
        verifyWebhook(body, { ...sign(), 'webhook-timestamp': wrong }, secret, { now }),
      )
    }
    await refuses('bad_timestamp', () =>
      verifyWebhook(body, sign(), secret, { now, toleranceSeconds: Number.NaN }),
    )
  })

  it('a request without one of the headers', async () => {
    for (const name of Object.keys(sign())) {
      for (const value of ['', undefined]) {
        await refuses(
          'missing_header',
          () => verifyWebhook(body, { ...sign(), [name]: value }, secret, { now }),
          new RegExp(name),
        )
      }
    }
    await refuses('missing_header', () => verifyWebhook(body, new Headers(), secret, { now }))
  })

  it('what is no secret, without repeating it', async () => {
    const short = `whsec_${Buffer.alloc(23, 1).toString('base64')}`
    const unset = undefined as unknown as string
    for (const wrong of ['', 'mst_key', secret.slice(6), 'whsec_', 'whsec_%', short, unset, []]) {
      await refuses('invalid_secret', () => verifyWebhook(body, sign(), wrong, { now }))
    }
    await refuses('invalid_secret', () => verifyWebhook(body, sign(), [secret, 'x'], { now }))
    await assert.rejects(verifyWebhook(body, sign(), 'hunter2', { now }), (error) => {
      return !String(error).includes('hunter2')
    })
  })

  it('a body that was parsed before', async () => {
    const parsed = event as unknown as string
    await refuses(
      'invalid_payload',
      () => verifyWebhook(parsed, sign(), secret, { now }),
      /raw body/,
    )
  })

  it('a genuine body that is no event', async () => {
    for (const text of ['', 'no', 'null', '[]', '{"type":1}', '{"type":"a","timestamp":"b"}']) {
      await refuses('invalid_payload', () => verifyWebhook(text, sign(text), secret, { now }))
    }
  })
})
