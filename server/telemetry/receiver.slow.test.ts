import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { isMissing } from '../../test/is-missing.ts'
import { noUsage } from '../models/contract.ts'
import { traceAgent, traceChat, traceTool } from './gen-ai.ts'
import { startTelemetry } from './telemetry.ts'

it("is read by the decoder of OpenTelemetry's Collector, with all attributes", async (t) => {
  if (await isMissing(t, ['go', 'version'])) return
  await using collector = await startScriptedServer((response) => send(response, {}))
  const telemetry = await startTelemetry({ otlpEndpoint: collector.url, capturesContent: true })
  const turn = {
    ...noUsage,
    content: [{ type: 'text' as const, text: 'Ünïcode “quoted”' }],
    text: 'Ünïcode “quoted”',
    finishReason: 'stop' as const,
    tokensIn: 3_000_000_000,
  }
  const prompt = { role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }
  const called = { tool: 'crm.find', id: 'call_1', providerCallId: 'c1', input: { q: '\u2028' } }
  await traceAgent({ runId: 'run_1', role: 'clerk', agentId: null, model: 'm' }, async () => {
    const asked = { instructions: 'be brief', messages: [prompt], maxOutputTokens: 10 }
    await traceChat({ model: 'm', provider: 'openai' }, asked, async () => turn)
    await traceTool(called, async (ended) => ended({ status: 'unknown', output: 'lost' }))
  })
  await telemetry[Symbol.asyncDispose]()

  await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-receiver-'))
  const program = join(import.meta.dirname, '../../test/otlp-receiver')
  await cp(program, folder.path, { recursive: true })
  await writeFile(join(folder.path, 'request.json'), collector.requests[0]?.body ?? '')
  const options = { cwd: folder.path, timeout: 240_000 }
  const { stdout } = await promisify(execFile)('go', ['run', '.', 'request.json'], options)
  const spans = JSON.parse(stdout) as Span[]
  assert.deepEqual(
    spans.map(({ name, kind, hasParent }) => [name, kind, hasParent]),
    [
      ['chat m', 'Client', true],
      ['execute_tool crm.find', 'Internal', true],
      ['invoke_agent clerk', 'Internal', false],
    ],
  )
  const [chat, tool] = spans.map(({ attributes }) => attributes)
  assert.equal(chat?.['gen_ai.usage.input_tokens'], 3_000_000_000)
  assert.deepEqual(chat?.['gen_ai.response.finish_reasons'], ['stop'])
  const answer = [{ type: 'text', content: 'Ünïcode “quoted”' }]
  assert.deepEqual(JSON.parse(String(chat?.['gen_ai.output.messages'])), [
    { role: 'assistant', parts: answer, finish_reason: 'stop' },
  ])
  assert.equal(tool?.['gen_ai.tool.call.arguments'], JSON.stringify({ q: '\u2028' }))
  assert.equal(tool?.['gen_ai.tool.call.result'], 'lost')
})

interface Span {
  name: string
  kind: string
  hasParent: boolean
  attributes: Record<string, unknown>
}
