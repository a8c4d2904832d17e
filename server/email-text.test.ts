import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEmail } from './email-text.ts'

void test('an address has one @, a domain with a dot, and no character that hides or misleads', () => {
  for (const right of ['ada@example.com', "o'neil+x@sub.example.co.uk", 'josé@exämple.de']) {
    assert.ok(isEmail(right), right)
  }
  // Zero width space, right-to-left override, Arabic letter mark, soft hyphen, Hangul filler.
  const hidden = [
    'ad\u200Bmin@x.org',
    '\u202Eadmin@x.org',
    'a\u061C@x.org',
    'a\u00AD@x.org',
    'a\u3164@x.org',
  ]
  const misspelt = [
    'ada',
    'ada@localhost',
    'a b@x.org',
    'a,b@x.org',
    'a@b@x.org',
    '"a"@x.org',
    'a@x..org',
  ]
  const wrong = [
    ...hidden,
    ...misspelt,
    'a@x.org\n',
    `a@${'x'.repeat(64)}.org`,
    `${'a'.repeat(65)}@x.org`,
  ]
  for (const text of wrong) assert.ok(!isEmail(text), JSON.stringify(text))
})
