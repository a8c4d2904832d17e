import assert from 'node:assert/strict'
import { it } from 'node:test'
import { browserOf } from './browser-words.ts'

it('names a browser and its system, and a program as it names itself', () => {
  const base = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  const chrome = 'Chrome/153.0.0.0 Safari/537.36'
  for (const [userAgent, words] of [
    [`Mozilla/5.0 (X11; Linux x86_64) ${base} ${chrome}`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0) ${base} ${chrome} Edg/153.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Linux; Android 16) ${base} ${chrome}`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Gecko/20100101 Firefox/152.0',
      'Firefox on a Mac',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) ${base} Safari/604.1`,
      'Safari on an iPhone',
    ],
    ['curl/8.9.1', 'curl/8.9.1'],
    [null, 'A program'],
  ] as const) {
    assert.equal(browserOf(userAgent), words)
  }
})
