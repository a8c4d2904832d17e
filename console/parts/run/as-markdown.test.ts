import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { asMarkdown } from './as-markdown.ts'

it('a run as Markdown has its input, steps and output, with fences that no text closes', () => {
  const step = { order: 0, role: 'writer', output: 'a ```` b', error: null }
  const calls = [{ tool: 'email.send', status: 'succeeded' }]
  const run = {
    id: 'run_1',
    status: 'completed',
    warnings: [],
    created_at: '2026-01-02T03:04:05Z',
    finished_at: '2026-01-02T03:05:05Z',
    cost_usd: 0.5,
    calls_without_price: 0,
    input: 'Write.',
    data: null,
    output: 'Done.',
    error: null,
    files: { inputs: [{ name: 'a.pdf' }], outputs: [] },
    steps: [{ ...step, tool_calls: calls }],
  } as unknown as RunWithSteps
  const text = asMarkdown(run, 'Weekly report', 'http://muster/runs/run_1')
  for (const part of [
    '# Weekly report\n',
    '- Run: [run_1](http://muster/runs/run_1)',
    '- Status: Completed',
    '- Cost: $0.5000',
    '- File: a.pdf',
    '## Input\n\n```\nWrite.\n```',
    '## Step 1: writer\n\n- `email.send`: succeeded\n\n`````\na ```` b\n`````',
    '## Output\n\nDone.',
  ]) {
    assert.ok(text.includes(part), `${part} is not in\n${text}`)
  }
})
