import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { makeSecret, signHeaders } from './sign.ts'

const body = JSON.stringify({ type: 'run.completed', data: { text: 'é\n' } })
const now = () => Math.floor(Date.now() / 1000)
const sign = (secrets: string[], timestampSeconds = now()) =>
  signHeaders({ id: 'evt_1', timestampSeconds, body }, secrets)

it('the reference package verifies what is signed', () => {
  const secret = makeSecret()
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(new Webhook(secret).verify(body, sign([secret])), JSON.parse(body))
})

it('with two secrets, each of them verifies', () => {
  const [before, after] = [makeSecret(), makeSecret()]
  const headers = sign([after, before])
  for (const secret of [before, after]) new Webhook(secret).verify(body, headers)
})

it('a changed byte, an old timestamp and a wrong secret are refused', () => {
  const secret = makeSecret()
  const webhook = new Webhook(secret)
  assert.throws(() => webhook.verify(`${body} `, sign([secret])))
  assert.throws(() => webhook.verify(body, sign([secret], now() - 600)))
  assert.throws(() => webhook.verify(body, { ...sign([secret]), 'webhook-id': 'evt_2' }))
  assert.throws(() => new Webhook(makeSecret()).verify(body, sign([secret])))
})
