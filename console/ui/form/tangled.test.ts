import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isTangled } from './tangled.ts'

it('a text that would keep its parser busy for seconds is known by its marks', () => {
  for (const mark of ['_a*', '[', '>', '1. ', '- ', '* a\n  ', '**a ', '[^1]: a\n']) {
    assert.ok(isTangled(mark.repeat(Math.floor(20_000 / mark.length))), mark)
  }
  const table = `| a | b |\n| --- | --- |\n${'| *1* | 2 |\n'.repeat(300)}`
  const list = Array.from({ length: 8 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')
  const code = `\`\`\`json\n${'{"a": [1, "*"]}\n'.repeat(1_000)}\`\`\`\n`
  for (const text of ['', 'Plain.', table, list, code, `${'-'.repeat(80)}\n`]) {
    assert.ok(!isTangled(text), text.slice(0, 40))
  }
})
