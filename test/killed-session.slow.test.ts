import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestMcpServer } from '../rig/mcp-server.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { callTools, complete, testSecretKey, toolResults, type ChatRequest } from './test-app.ts'

it('an agent is told when its worker was killed between two calls of an MCP server that remembers', async () => {
  await using server = await startTestMcpServer()
  // Another process cannot resolve the test's host names.
  const url = server.url.replace('mcp.test', '127.0.0.1')
  const secondAsked = Promise.withResolvers<void>()
  let results: string[] = []
  let asked = 0
  await using stage = await openScriptedStage({
    answer: (response, { body }) => {
      const request = JSON.parse(body) as ChatRequest
      const answered = request.messages.filter(({ role }) => role === 'tool').length
      if (answered === 0 || (answered === 1 && asked > 0)) {
        return callTools(response, [
          { id: `call-${answered}`, name: 'notes__echo', arguments: { text: `note ${answered}` } },
        ])
      }
      if (answered === 1) {
        // The worker is killed while it waits for this response.
        asked++
        return secondAsked.resolve()
      }
      results = toolResults(request)
      complete(response, 'done')
    },
    env: { MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8', MUSTER_SECRET_KEY: testSecretKey },
  })
  await stage.start('api')
  const worker = await stage.start('worker')
  await stage.put('/v1/connectors/notes', { kind: 'mcp', url, safe_tools: ['echo'] })
  const agentId = await stage.createAgent({ connectors: ['notes'], capabilities: ['notes.echo'] })
  const crew = [{ role: 'clerk', systemPrompt: 'Take notes.', agentId }]
  await stage.trigger(await stage.createWorkflow({ model: 'bench', crew }), 'go')
  await secondAsked.promise
  await worker.kill()
  await stage.start('worker')
  await stage.allComplete(1, 60_000)
  const sessions = server.calls.slice(-2).map(({ session }) => session)
  assert.notEqual(sessions[0], sessions[1])
  assert.match(results.at(-1) ?? '', /session/i)
  assert.match(results.at(-1) ?? '', /note 1/)
})
