import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mendAnswer, withoutThinking } from './mend-answer.ts'

const usage = { input_tokens: 0 }
const mend = (text: string, emptyUsage?: Record<string, number>): string =>
  mendAnswer(Buffer.from(text), emptyUsage).toString()

const call = (rest: string): string => `{"tool_calls":[{"function":{"name":"f"${rest}}}]}`

for (const [name, text, mended] of [
  [
    'numbers as they were written',
    call(',"arguments":{"n":12345678901234567890}'),
    call(',"arguments":"{\\"n\\":12345678901234567890}"'),
  ],
  [
    'several calls',
    call(',"arguments":null},"b":{"arguments": {}'),
    call(',"arguments":"{}"},"b":{"arguments": "{}"'),
  ],
  [
    'a call without arguments',
    call(''),
    '{"tool_calls":[{"function":{"arguments":"{}","name":"f"}}]}',
  ],
  [
    'brackets and quotes inside of texts',
    call(',"arguments":{"a":"}\\"{"}'),
    call(',"arguments":"{\\"a\\":\\"}\\\\\\"{\\"}"'),
  ],
  [
    'an object that never ends',
    '{"tool_calls":1,"arguments":{"a":1',
    '{"tool_calls":1,"arguments":"{\\"a\\":1"',
  ],
] as const) {
  it(`makes text of arguments: ${name}`, () => assert.equal(mend(text), mended))
}

for (const [name, text] of [
  ['right arguments', call(',"arguments":"{}"')],
  [
    'a text that speaks of them',
    '{"content":"\\"tool_calls\\": \\"arguments\\":null, \\"usage\\":{}","usage":{"a":1}}',
  ],
  ['no JSON', '<html>_call</html>'],
] as const) {
  it(`leaves as it is: ${name}`, () =>
    assert.equal(mend(text, name === 'no JSON' ? undefined : usage).includes(text.slice(1)), true))
}

it('puts an empty count in the place of none', () => {
  const mended = '{"usage":{"input_tokens":0},"a":1}'
  assert.equal(mend('{"a":1}', usage), mended)
  assert.equal(mend('{"usage": null,"a":1}', usage), mended)
  assert.equal(mend('{"usage":{ },"a":1}', usage), mended)
})

it('mends thousands of calls, and leaves what is no answer', () => {
  const calls = `{"tool_calls":[${'{"function":{"name":"f","arguments":null}},'.repeat(50_000)}1]}`
  assert.ok(!mend(calls).includes('null'))
  const odd = `{"_call":"${'{'.repeat(1_000_000)}`
  assert.equal(mend(odd), odd)
})

it('passes text on without the thinking before it, however it comes in pieces', () => {
  for (const [said, heard] of [
    ['<think>Hm</think>\n\n42 is <think> it', '42 is <think> it'],
    ['  <think></think>42', '42'],
    ['<b>42', '<b>42'],
    ['<thi', ''],
    ['<thinking>42', '<thinking>42'],
    ['<think>for ever', ''],
    [' '.repeat(2_000), ' '.repeat(2_000)],
  ] as const) {
    for (const size of [1, 3, 7, 100]) {
      let passed = ''
      const onText = withoutThinking((text) => void (passed += text))
      for (let place = 0; place < said.length; place += size)
        onText(said.slice(place, place + size))
      assert.equal(passed, heard, `${said} by ${size}`)
    }
  }
})
