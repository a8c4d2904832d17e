import assert from 'node:assert/strict'
import { it } from 'node:test'
import { textOfContent } from './message.ts'

it('cleans no more of an answer of 4 MB than it shows', () => {
  for (const text of ['\r', '\u200D', 'e\u0301'].map((part) =>
    part.repeat(4_000_000 / part.length),
  )) {
    const began = process.threadCpuUsage()
    const shown = textOfContent([{ type: 'text', text }])
    const { user, system } = process.threadCpuUsage(began)
    assert.match(shown, /\[The answer is longer; the rest was left out\.\]$/)
    assert.ok(shown.length < 50_100)
    // Reading the whole content would take 0.7 to 1.8 s.
    assert.ok(user + system < 200_000, `${(user + system) / 1_000} ms`)
  }
})
