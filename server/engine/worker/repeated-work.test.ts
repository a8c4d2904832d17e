import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { actOnce, clerkFixture, read, write } from '../../../test/clerk.ts'

const clerk = clerkFixture()
const { app } = clerk

it('work that a promoted standby does again carries the same ids', async () => {
  const crew = [
    { role: 'clerk', systemPrompt: 'act', agentId: clerk.agentId },
    { role: 'b', systemPrompt: 'b' },
  ]
  app.answer = actOnce(write('a'), { ...read, id: 'b' })
  const id = await app.trigger(await clerk.createWorkflow({ enabled: true }, { crew }))

  const asked = await pause()
  await rewind()
  assert.deepEqual(await pause(), asked)
  await app.post(`/v1/runs/${id}/respond`, { action: 'approve', pending_id: asked.pending })
  assert.equal((await app.rest(id)).status, 'completed')
  const ids = (await readIds()).events
  assert.equal(new Set(ids).size, ids.length)

  async function pause(): Promise<{ pending: string; events: string[]; rest: string[] }> {
    const run = await app.rest(id)
    assert.equal(run.status, 'waiting_input', JSON.stringify(run))
    return { pending: run.pending.id, ...(await readIds()) }
  }

  async function readIds(): Promise<{ events: string[]; rest: string[] }> {
    return app.row`
      select (select json_agg(id order by sequence) from events where run_id = ${id}) as events,
             (select json_agg(id order by id) from (
               select id from steps where run_id = ${id}
               union all select id from tool_calls where run_id = ${id}) as rest) as rest`
  }

  /** Resets the run to what a lagging standby may have: that it was accepted. */
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
