import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { Validator as Independent } from '@cfworker/json-schema'
import { send } from '../../../rig/scripted-server.ts'
import { fixture } from '../../../test/fixture.ts'
import { startTestApp, type ChatRequest } from '../../../test/test-app.ts'
import { combined } from '../../json-schema/test-schemas.ts'
import type { JsonSchema } from '../../json-schema/check-schema.ts'

/**
 * Real runs over every schema of the validator's test, with a model that answers correctly,
 * incorrectly, in a code block, with prose, cut, empty or with a refusal. The expected outcome is
 * derived from an independent validator alone, the expected cost from what the model server billed.
 */
interface Answer {
  text: string | null
  reason?: 'length' | 'content_filter'
  refusal?: string
}

interface Scene {
  workflow: number
  answers: Answer[]
}

interface Bill {
  calls: number
  in: number
  out: number
}

const schemas = [...combined()]
const scenes = schemas.flatMap(([schema, values], workflow) =>
  scenesOf(schema, values).map((answers) => ({ workflow, answers })),
)
const bills = scenes.map((): Bill => ({ calls: 0, in: 0, out: 0 }))
const workflows: string[] = []
const app = fixture(() =>
  startTestApp({
    env: { MUSTER_RUN_CONCURRENCY: '60', MUSTER_ACCOUNT_CONCURRENCY: '60' },
    answer: answerScene,
  }),
)

/** Answers of the model for the runs of a schema, call by call; the last one repeats. */
function scenesOf(schema: JsonSchema, values: unknown[]): Answer[][] {
  const independent = new Independent(schema, '2020-12')
  const said = (value: unknown): Answer => ({ text: JSON.stringify(value) })
  const right = values.filter((value) => independent.validate(value).valid).map(said)
  const wrong = values.filter((value) => !independent.validate(value).valid).map(said)
  const [fits, other = fits] = right
  const [bad, worse = bad, worst = bad] = wrong
  const inWords = (text: string): Answer => ({ text })
  return [
    fits && [fits],
    bad && other && [bad, other],
    bad && worse && fits && [bad, worse, fits],
    bad && worse && worst && [bad, worse, worst],
    // Cut where the answer happens to fit, and in the middle.
    fits && [{ ...fits, reason: 'length' as const }],
    fits && [inWords((fits.text ?? '').slice(0, -1)), fits],
    fits && [inWords(''), fits],
    fits && [inWords(`\`\`\`json\n${fits.text}\n\`\`\``)],
    fits && [inWords(`Here it is: ${fits.text}`), inWords(`${fits.text}${fits.text}`), fits],
    [inWords('null'), inWords('[]'), inWords('"{}"')],
    fits && [{ text: null, refusal: 'I will not.' }],
    fits && [{ ...fits, reason: 'content_filter' as const }],
  ].filter((answers) => answers !== undefined)
}

function answerScene(request: ChatRequest, response: ServerResponse): void {
  const number = Number(/scene (\d+)\b/.exec(JSON.stringify(request.messages))?.[1])
  const { answers } = scenes[number] as Scene
  const bill = bills[number] as Bill
  const answer = answers[Math.min(bill.calls, answers.length - 1)] as Answer
  const used = { in: 100 + number + bill.calls, out: 10 + bill.calls }
  bill.calls += 1
  bill.in += used.in
  bill.out += used.out
  const { text, reason = 'stop', refusal } = answer
  const message = { role: 'assistant', content: text, ...(refusal !== undefined && { refusal }) }
  send(response, {
    choices: [{ index: 0, finish_reason: reason, message }],
    usage: {
      prompt_tokens: used.in,
      completion_tokens: used.out,
      total_tokens: used.in + used.out,
    },
  })
}

/** Expected outcome by the independent validator and the rules of `docs/structured-data.md`. */
function expect({ workflow, answers }: Scene): { outcome: string; calls: number; value?: unknown } {
  const independent = new Independent((schemas[workflow] as [JsonSchema, unknown[]])[0], '2020-12')
  let problems = 0
  for (let calls = 1; ; calls++) {
    const { text, reason, refusal } = answers[Math.min(calls, answers.length) - 1] as Answer
    if (refusal !== undefined || reason === 'content_filter')
      return { outcome: 'step_failed', calls }
    if (text === '') continue
    if (reason === 'length') return { outcome: 'output_invalid', calls }
    const value = readFenced(text ?? '')
    if (value !== undefined && independent.validate(value).valid)
      return { outcome: 'completed', calls, value }
    problems += 1
    if (problems > 2) return { outcome: 'output_invalid', calls }
  }
}

function readFenced(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^```json\n/, '').replace(/\n```$/, '')) as unknown
  } catch {
    return undefined
  }
}

async function play(number: number): Promise<string> {
  const scene = scenes[number] as Scene
  const run = await app.run(workflows[scene.workflow] ?? '', `scene ${number}`)
  const expected = expect(scene)
  const at = JSON.stringify({ number, scene, schema: schemas[scene.workflow]?.[0] })
  const outcome = run.status === 'completed' ? 'completed' : run.error_code
  assert.equal(outcome, expected.outcome, `${run.error} ${at}`)
  assert.deepEqual(run.output_json, expected.value ?? null, at)
  const bill = bills[number] as Bill
  assert.equal(bill.calls, expected.calls, at)
  const [step] = run.steps
  for (const [counted, what] of [
    [step, 'step'],
    [run, 'run'],
  ]) {
    assert.deepEqual([counted.tokens_in, counted.tokens_out], [bill.in, bill.out], `${what} ${at}`)
    assert.equal(counted.cost_usd, (bill.in + 2 * bill.out) / 1e6, `${what} ${at}`)
  }
  return expected.outcome
}

it('no run is completed with an object that an independent validator refuses', async (t) => {
  for (const [schema] of schemas) {
    const crew = [{ role: 'e', systemPrompt: 'Extract.', output_schema: schema }]
    workflows.push(await app.createWorkflow({ crew }))
  }
  const seen: Record<string, number> = {}
  const left = scenes.keys()
  const players = Array.from({ length: 60 }, async () => {
    for (const number of left) {
      const outcome = await play(number)
      seen[outcome] = (seen[outcome] ?? 0) + 1
    }
  })
  await Promise.all(players)
  t.diagnostic(`${schemas.length} schemas, ${scenes.length} runs: ${JSON.stringify(seen)}`)
  assert.ok(schemas.length >= 200)
  for (const outcome of ['completed', 'output_invalid', 'step_failed'])
    assert.ok((seen[outcome] ?? 0) > 300, JSON.stringify(seen))
})
