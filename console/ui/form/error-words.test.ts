import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectionError, MusterError, timeoutError, toMusterError } from '../../../sdk/errors.ts'
import { isOfConnection, wordsOfError } from './error-words.ts'
import { Offline } from './fault.ts'

it('a failure of the connection is in words, without addresses, codes or HTML', async () => {
  const page = '<html><h1>502 Bad Gateway</h1></html>'
  const cases: [error: unknown, words: RegExp, isOfConnection: boolean][] = [
    [
      connectionError('unreachable', 'Cannot POST /v1/x: Failed to fetch', new TypeError('x')),
      /^The service does not answer\./,
      true,
    ],
    [
      connectionError('unreachable', 'Cannot GET /v1/x', new Offline('x')),
      /^You are offline\./,
      true,
    ],
    [
      timeoutError('Cannot GET /v1/x: no answer in time', undefined),
      /^The service took too long/,
      true,
    ],
    [
      await toMusterError(new Response(page, { status: 502 })),
      /answered in its place \(status 502\)/,
      true,
    ],
    [await toMusterError(new Response('', { status: 413 })), /requests of this size/, true],
    [
      new MusterError('Cannot create run: input is empty', {
        status: 400,
        type: 'invalid_request',
        code: 'string_too_short',
      }),
      /^Cannot create run: input is empty$/,
      false,
    ],
    [new Error('No room'), /^No room$/, false],
  ]
  for (const [error, words, isLine] of cases) {
    assert.match(wordsOfError(error), words)
    assert.doesNotMatch(wordsOfError(error), /\/v1\/|fetch|<html/)
    assert.equal(isOfConnection(error), isLine)
  }
})
