import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyDoubted } from './authentication.ts'

const results = (...values: string[]) =>
  values.map((value) => ({ key: 'authentication-results', value }))
const open = { senders: null, require_authenticated: false, authserv_id: null }
const filtered = { ...open, senders: ['@example.com'] }
const strict = { ...open, require_authenticated: true }
const ada = 'ada@example.com'
const pass =
  'mx.example.org; spf=pass smtp.mailfrom=x; dmarc=pass (p=REJECT; sp=none) header.from=example.com'
const fail = 'mx.example.org 1; dkim=none; DMARC = FAIL (p=none) header.from=example.com'

void test('a sender that the mail server calls forged is not believed where senders matter', () => {
  assert.match(whyDoubted(results(fail), ada, filtered) ?? '', /dmarc=fail/)
  assert.match(whyDoubted(results(fail), ada, strict) ?? '', /dmarc=fail/)
  assert.equal(whyDoubted(results(fail), ada, open), null)
  assert.equal(whyDoubted(results(pass), ada, filtered), null)
  assert.equal(whyDoubted([], ada, filtered), null)
})

void test('results below the topmost came with the message, and count for nothing', () => {
  assert.match(whyDoubted(results(fail, pass), ada, strict) ?? '', /dmarc=fail/)
  assert.equal(whyDoubted(results(pass, fail), ada, strict), null)
})

void test('require_authenticated asks for dmarc=pass of the domain of From', () => {
  for (const none of [
    [],
    results('mx.example.org; none'),
    results('mx.example.org; spf=pass; dkim=pass header.d=example.com'),
    results('mx.example.org; dmarc=none header.from=example.com'),
    results('mx.example.org; dmarc=pass header.from=evil.example'),
    results('mx.example.org; spf=pass (dmarc=pass header.from=example.com)'),
    [{ key: 'x-authentication-results', value: pass }],
  ]) {
    assert.match(whyDoubted(none, ada, strict) ?? '', /not authenticated/)
  }
  assert.equal(whyDoubted(results('mx; dmarc=pass'), ada, strict), null)
})

void test('only the results of the named server count', () => {
  const named = { ...strict, authserv_id: 'MX.example.org' }
  assert.equal(whyDoubted(results('other; dmarc=fail', pass), ada, named), null)
  assert.match(whyDoubted(results('forged; dmarc=pass', fail), ada, named) ?? '', /dmarc=fail/)
  assert.match(whyDoubted(results('forged; dmarc=pass'), ada, named) ?? '', /not authenticated/)
})
