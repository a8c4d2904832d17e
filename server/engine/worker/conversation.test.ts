import assert from 'node:assert/strict'
import { it } from 'node:test'
import { noUsage } from '../../models/contract.ts'
import { checkAnswer } from './conversation.ts'
import { testSandbox } from '../../sandbox/test-sandbox.ts'

const caller = { accountId: 'acc', sandbox: testSandbox() }
const schema = JSON.stringify({
  type: 'object',
  properties: { n: { type: 'number' }, code: { type: 'string' } },
  required: ['n'],
})

const check = (text: string) =>
  checkAnswer(caller, { ...noUsage, content: [], text, finishReason: 'stop' }, schema, [])

const code = '{"n":1,"code":"```js\\nrun()\\n```"}'

for (const [name, text] of Object.entries({
  'an object': '{"n":1}',
  'a block on several lines': '```json\n{"n":1}\n```',
  'a block on one line': '```json {"n":1} ```',
  'a block on one line without a space': '```{"n":1}```',
  'a block of another name': '```JSON\n{\n  "n": 1\n}\n```  ',
  'one block amid words': 'Here it is:\n\n```json\n{"n":1}\n```\n\nAnything else?',
  'one block on one line amid words': 'The answer is ```{"n":1}``` as asked.',
  'an object that holds a block': code,
  'a block that holds an object that holds a block': `\`\`\`json\n${code}\n\`\`\``,
})) {
  it(`${name} is an answer`, async () => {
    const checked = await check(text)
    assert.equal(checked.kind, 'fits', JSON.stringify(checked))
    assert.equal(checked.kind === 'fits' && JSON.parse(checked.outputJson ?? '').n, 1)
  })
}

for (const [name, text] of Object.entries({
  words: 'It is one.',
  'an object amid words': 'It is {"n":1}.',
  'two blocks': '```json\n{"n":1}\n```\nor\n```json\n{"n":2}\n```',
  'a block without an end': '```json\n{"n":1}',
})) {
  it(`${name} is none`, async () => {
    assert.deepEqual(await check(text), { kind: 'wrong', problem: 'it is not JSON' })
  })
}
