import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { clerk, startMcpSink } from '../../../rig/mcp-sink.ts'
import { callTools, complete, startTestApp, toolResults } from '../../../test/test-app.ts'

it('work that a promoted standby does again carries the same ids', async () => {
  await using sink = await startMcpSink()
  await using app = await startTestApp({
    answer: (request, response) =>
      toolResults(request).length > 0
        ? complete(response, 'done')
        : callTools(response, [
            { name: 'sink__write', arguments: { text: 'a' } },
            { name: 'sink__read', arguments: { text: 'b' } },
          ]),
  })
  const connector = { kind: 'mcp', url: sink.url, safe_tools: ['read'] }
  await app.call('PUT', '/v1/connectors/sink', { body: connector })
  const { id: agentId } = await app.post('/v1/agents', clerk)
  const crew = [
    { role: 'clerk', systemPrompt: 'act', agentId },
    { role: 'b', systemPrompt: 'b' },
  ]
  const body = { name: 'w', crew, human_in_the_loop: { enabled: true, approvals: 'sensitive' } }
  const workflow = await app.post('/v1/workflows', body)
  const { id } = await app.post(`/v1/workflows/${workflow.id}/runs`, { input: 'go' })

  const asked = await pause()
  await rewind()
  assert.deepEqual(await pause(), asked)
  const approval = { body: { action: 'approve', pending_id: asked.pending } }
  assert.equal((await app.call('POST', `/v1/runs/${id}/respond`, approval)).status, 202)
  assert.equal((await app.rest(id)).status, 'completed')
  const ids = (await read()).events
  assert.equal(new Set(ids).size, ids.length)

  async function pause(): Promise<{ pending: string; events: string[]; rest: string[] }> {
    const run = await app.rest(id)
    assert.equal(run.status, 'waiting_input', JSON.stringify(run))
    return { pending: run.pending.id, ...(await read()) }
  }

  async function read(): Promise<{ events: string[]; rest: string[] }> {
    const rows = await app.sql<{ events: string[]; rest: string[] }>`
      select (select json_agg(id order by sequence) from events where run_id = ${id}) as events,
             (select json_agg(id order by id) from (
               select id from steps where run_id = ${id}
               union all select id from tool_calls where run_id = ${id}) as rest) as rest`
    return rows[0] as { events: string[]; rest: string[] }
  }

  /** To what a standby may have had of it: that it was accepted. */
  async function rewind(): Promise<void> {
    for (const table of ['steps', 'step_turns', 'tool_calls']) {
      await app.sql`delete from ${sql.table(table)} where run_id = ${id}`
    }
    await app.sql`delete from events where run_id = ${id} and sequence > 1`
    await app.sql`
      update runs set status = 'queued', attempt = 0, last_sequence = 1, pending = null,
        waiting_since = null, expires_at = null, started_at = null where id = ${id}`
    await app.sql`insert into jobs (account_id, run_id)
              select account_id, id from runs where id = ${id}`
  }
})
