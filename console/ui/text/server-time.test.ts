import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteServerTime, serverNow } from './server-time.ts'

void test('the page goes by the server\u2019s clock where this machine\u2019s is off', () => {
  const hour = 3_600_000
  const isAhead = (ms: number): boolean => Math.abs(serverNow() - Date.now() - ms) < 2_000
  assert.ok(isAhead(0))
  noteServerTime(new Date(Date.now() + hour).toUTCString())
  assert.ok(isAhead(hour))
  noteServerTime(null)
  noteServerTime('soon')
  assert.ok(isAhead(hour), 'a response without a time changes nothing')
  noteServerTime(new Date(Date.now() - 24 * hour).toUTCString())
  assert.ok(isAhead(-24 * hour))
  noteServerTime(new Date(Date.now() - 1_000).toUTCString())
  assert.ok(isAhead(0), 'a second is how long a response takes')
})
