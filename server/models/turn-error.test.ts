import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider'
import { retryAfterMs, toModelError } from './turn-error.ts'

const subject = { modelId: 'gpt-4.1', providerLabel: 'OpenAI', secrets: ['sesame-sesame'] }
const signal = new AbortController().signal

function apiError(statusCode: number, body: unknown, message = ''): APICallError {
  return new APICallError({
    message,
    statusCode,
    url: 'http://127.0.0.1/',
    requestBodyValues: { prompt: 'private' },
    responseBody: body as string,
  })
}

void test('Retry-After is read as seconds, as a date and as milliseconds', () => {
  const now = Date.parse('2026-11-21T09:00:00Z')
  assert.equal(retryAfterMs({ 'retry-after': '2' }, now), 2_000)
  assert.equal(retryAfterMs({ 'retry-after': ' 1.5 ' }, now), 1_500)
  assert.equal(retryAfterMs({ 'retry-after': 'Sat, 21 Nov 2026 09:01:00 GMT' }, now), 60_000)
  assert.equal(retryAfterMs({ 'retry-after': 'Sat, 21 Nov 2026 08:00:00 GMT' }, now), 0)
  assert.equal(retryAfterMs({ 'retry-after-ms': '250', 'retry-after': '1' }, now), 250)
})

void test('a Retry-After that says nothing is none', () => {
  for (const value of ['', 'soon', '-1']) {
    assert.equal(retryAfterMs({ 'retry-after': value }, Date.parse('2026-11-21T09:00:00Z')) ?? 0, 0)
  }
  assert.equal(retryAfterMs({}), undefined)
})

void test('a Retry-After of more than ten minutes is one of ten minutes', () => {
  for (const value of ['31536000', '9'.repeat(400), 'Sun, 21 Nov 2027 09:00:00 GMT']) {
    const now = Date.parse('2026-11-21T09:00:00Z')
    assert.equal(retryAfterMs({ 'retry-after': value }, now), 600_000)
  }
  assert.equal(retryAfterMs({ 'retry-after-ms': '1e400' }), 600_000)
})

void test('the words of a provider can be stored', () => {
  for (const said of ['a\0b', 'a\uD83D', `${'x'.repeat(478)}${'😀'.repeat(20)}`]) {
    const { message } = toModelError(apiError(429, '{}', said), subject, signal)
    assert.ok(message.isWellFormed() && !message.includes('\0'), JSON.stringify(message))
  }
})

void test('an account without credit is rejected although its status is 429', () => {
  const body = JSON.stringify({ error: { code: 'insufficient_quota', message: 'No credit' } })
  assert.equal(toModelError(apiError(429, body), subject, signal).kind, 'rejected')
})

void test("a provider's own failure inside a 200 answer is unavailable", () => {
  const body = { error: { code: 'server_error', message: 'Oops' } }
  assert.equal(toModelError(apiError(400, body, 'Oops'), subject, signal).kind, 'unavailable')
})

void test('each status has its kind', () => {
  const kinds = [400, 404, 408, 409, 422, 429, 500, 504].map(
    (status) => toModelError(apiError(status, '{}', 'x'), subject, signal).kind,
  )
  assert.deepEqual(kinds, [
    'rejected',
    'rejected',
    'timeout',
    'unavailable',
    'rejected',
    'rate_limited',
    'unavailable',
    'unavailable',
  ])
})

void test('a request that the SDK cannot send is rejected, not retried', () => {
  const error = new UnsupportedFunctionalityError({ functionality: 'files' })
  assert.equal(toModelError(error, subject, signal).kind, 'rejected')
})

void test('secrets and requests stay out of the error', () => {
  const error = toModelError(apiError(401, '{}', 'key sesame-sesame is bad'), subject, signal)
  assert.equal(error.message, 'Cannot run gpt-4.1 at OpenAI: status 401, key *** is bad')
  assert.equal(error.cause, undefined)
})
