import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { sign } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { parseBody } from './body.ts'
import {
  handshakeOf,
  refuseSecret,
  verify,
  type Scheme,
  type SchemeName,
  type Verdict,
} from './schemes.ts'

const now = new Date('2026-11-26T08:00:00Z')
const seconds = Math.floor(now.getTime() / 1_000)

interface Case {
  scheme: SchemeName
  secret: string
  other: string
  body: string
  contentType?: string
  /** Signs with the vendor's own library, or returns the published example. */
  sign: (body: string, secret: string, at: Date) => Promise<Record<string, string>>
  event: { eventId: string | null; eventType: string | null }
  signsTime: boolean
}

const stripe = new Stripe('sk_test_none')

const cases: Case[] = [
  {
    scheme: 'standard_webhooks',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    other: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    body: '{"type":"invoice.paid","data":{"id":7}}',
    sign: async (body, secret, at) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': `v1a,other ${new Webhook(secret).sign('msg_1', at, body)}`,
    }),
    event: { eventId: 'msg_1', eventType: 'invoice.paid' },
    signsTime: true,
  },
  {
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    other: 'another',
    body: '{"action":"opened","issue":{"title":"Größe"}}',
    sign: async (body, secret) => ({
      'x-hub-signature-256': await sign(secret, body),
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'x-github-event': 'issues',
    }),
    event: { eventId: '72d3162e-cc78-11e3-81ab-4c9367dc0958', eventType: 'issues' },
    signsTime: false,
  },
  {
    scheme: 'stripe',
    secret: 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH',
    other: 'whsec_other',
    body: '{"id":"evt_1","type":"charge.failed"}',
    sign: async (payload, secret, at) => ({
      'stripe-signature': await stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret,
        timestamp: Math.floor(at.getTime() / 1_000),
      }),
    }),
    event: { eventId: 'evt_1', eventType: 'charge.failed' },
    signsTime: true,
  },
  {
    scheme: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    other: 'another',
    body: '{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}}',
    sign: async (body, secret, at) => {
      const time = Math.floor(at.getTime() / 1_000)
      const mac = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
      return { 'x-slack-request-timestamp': String(time), 'x-slack-signature': `v0=${mac}` }
    },
    event: { eventId: 'Ev1', eventType: 'app_mention' },
    signsTime: true,
  },
  {
    scheme: 'hmac_sha256',
    secret: 'shared',
    other: 'another',
    body: '{"type":"order"}',
    sign: async (body, secret) => ({
      'x-shop-hmac': createHmac('sha256', secret).update(body).digest('base64'),
      'x-shop-id': '9',
    }),
    event: { eventId: '9', eventType: 'order' },
    signsTime: false,
  },
]

function schemeOf(scheme: SchemeName): Scheme {
  return {
    scheme,
    signature_header: 'X-Shop-Hmac',
    event_id_header: 'X-Shop-Id',
    tolerance_seconds: 300,
  }
}

function check(
  { scheme, contentType = 'application/json' }: Pick<Case, 'scheme' | 'contentType'>,
  headers: Record<string, string>,
  body: string,
  secrets: string[],
): Verdict {
  const bytes = Buffer.from(body)
  const sent = { headers, bytes, body: parseBody(bytes, contentType) }
  return verify(sent, schemeOf(scheme), secrets, now.getTime())
}

const refusedBecause = (verdict: Verdict): string =>
  verdict.kind === 'refused' ? verdict.why : 'it is genuine'

for (const one of cases) {
  describe(`the scheme ${one.scheme}`, () => {
    it('takes what the vendor signs, with either of two secrets, and tells the event', async () => {
      const headers = await one.sign(one.body, one.secret, now)
      const genuine = { kind: 'genuine', ...one.event }
      assert.deepEqual(check(one, headers, one.body, [one.secret]), genuine)
      assert.deepEqual(check(one, headers, one.body, [one.other, one.secret]), genuine)
    })

    it('refuses what was forged or changed, and says why', async () => {
      const headers = await one.sign(one.body, one.secret, now)
      const wrong = /does not fit the body/
      assert.match(refusedBecause(check(one, headers, `${one.body} `, [one.secret])), wrong)
      assert.match(refusedBecause(check(one, headers, one.body, [one.other])), wrong)
      assert.match(refusedBecause(check(one, {}, one.body, [one.secret])), /missing/)
      assert.match(refusedBecause(check(one, headers, one.body, [])), /no secret yet/)
      for (const [name, value] of Object.entries(headers)) {
        if (!/signature|hmac/.test(name)) continue
        for (const bad of ['', 'v1,', 'sha256=', 't=1,v1=', value.slice(0, -2), `${value}00`, 'é'])
          assert.equal(
            check(one, { ...headers, [name]: bad }, one.body, [one.secret]).kind,
            'refused',
          )
      }
    })

    if (!one.signsTime) return
    it('refuses what was signed too long ago, or in the future', async () => {
      for (const [age, word] of [
        [301, 'ago'],
        [-301, 'from now'],
      ] as const) {
        const at = new Date(now.getTime() - age * 1_000)
        const headers = await one.sign(one.body, one.secret, at)
        const why = `it was signed 301 s ${word}, expected within 300 s`
        assert.equal(refusedBecause(check(one, headers, one.body, [one.secret])), why)
      }
      const headers = await one.sign(one.body, one.secret, new Date(now.getTime() - 299_000))
      assert.equal(check(one, headers, one.body, [one.secret]).kind, 'genuine')
    })

    it('refuses another time than the one that was signed', async () => {
      const old = await one.sign(one.body, one.secret, new Date(now.getTime() - 3_600_000))
      const moved = Object.entries(old).map(([name, value]) => [
        name,
        value.replace(String(seconds - 3_600), String(seconds)),
      ])
      const why = refusedBecause(check(one, Object.fromEntries(moved), one.body, [one.secret]))
      assert.match(why, /does not fit/)
    })
  })
}

describe('a secret of Standard Webhooks', () => {
  it('may have the version before it, and has at least 24 bytes', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const body = '{}'
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
    }
    const scheme = { scheme: 'standard_webhooks' as const }
    assert.equal(check(scheme, headers, body, [`v1,${secret}`]).kind, 'genuine')
    assert.equal(refuseSecret('standard_webhooks', secret), undefined)
    assert.equal(refuseSecret('standard_webhooks', `v1,${secret}`), undefined)
    const short = `whsec_${Buffer.alloc(23).toString('base64')}`
    assert.match(refuseSecret('standard_webhooks', short) ?? '', /a key of 23 bytes, expected/)
    assert.match(refuseSecret('standard_webhooks', "It's a secret") ?? '', /no base64/)
    assert.equal(refuseSecret('github', "It's a Secret"), undefined)
  })
})

describe('published vectors', () => {
  it('of Slack and GitHub are taken', () => {
    // https://docs.slack.dev/authentication/verifying-requests-from-slack
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
      '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
      '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
      '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const bytes = Buffer.from(body)
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    }
    const sent = { headers, bytes, body: parseBody(bytes, 'application/x-www-form-urlencoded') }
    const secret = ['8f742231b10e8888abcd99yyyzzz85a5']
    assert.deepEqual(verify(sent, schemeOf('slack'), secret, 1_531_420_700_000), {
      kind: 'genuine',
      eventId: null,
      eventType: '/webhook-collect',
    })
    // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
    const hello = {
      'x-hub-signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }
    const github = check({ scheme: 'github' }, hello, 'Hello, World!', [
      "It's a Secret to Everybody",
    ])
    assert.equal(github.kind, 'genuine')
  })

  it('hexadecimal digits are taken as well as base64', () => {
    const hex = createHmac('sha256', 'shared').update('x').digest('hex')
    for (const value of [hex, hex.toUpperCase(), `sha256=${hex}`]) {
      const verdict = check({ scheme: 'hmac_sha256' }, { 'x-shop-hmac': value }, 'x', ['shared'])
      assert.equal(verdict.kind, 'genuine')
    }
  })
})

it('a check of the address is answered for Slack alone', () => {
  const body = { type: 'url_verification', challenge: '3eZbrw1a' }
  const sent = { headers: {}, bytes: Buffer.alloc(0), body }
  assert.equal(handshakeOf(sent, schemeOf('slack')), '3eZbrw1a')
  assert.equal(handshakeOf(sent, schemeOf('none')), undefined)
  assert.equal(
    handshakeOf({ ...sent, body: { ...body, challenge: 1 } }, schemeOf('slack')),
    undefined,
  )
})
