import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { until } from '../../rig/until.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { startTestApp } from '../../test/test-app.ts'
import { onCitus } from '../db/cluster/test-citus.ts'
import { causes, type CauseAdapter, type Item } from './test-causes.ts'

/**
 * The contract of every cause of runs: each item starts one run or is refused with a reason,
 * whatever dies, waits or fails beside it. A new cause is one adapter in `test-causes.ts`.
 */
const intervals = {
  hooksMs: 20,
  schedulesMs: 20,
  mailboxesMs: 20,
  batchesMs: 20,
  bulkOperationsMs: 20,
  threadsMs: 20,
}
/** Only answers requests, so that nothing starts before a test lets it. */
const app = fixture(() => startTestApp({ role: 'api', intervals }))
const startWorker = () => app.startAnother('worker')
const createWorkflow = (key?: string) =>
  app.createWorkflow({ crew: [{ role: 'r', systemPrompt: 's' }] }, key)
const canary = fixture(async () => ({
  ...(await createAccount(app.database, 'canary')),
  async [Symbol.asyncDispose]() {},
}))

for (const cause of causes) describe(cause.name, () => suite(cause))

function suite({ open, unbounded }: CauseAdapter): void {
  async function stageOf(fields: object = {}) {
    const workflowId = await createWorkflow()
    if ('status' in fields) await app.patch(`/v1/workflows/${workflowId}`, fields)
    const stage = await open(app, workflowId)
    const runs = (): Promise<{ id: string; input: string; created_at: Date }[]> =>
      app.sql`
        select id, input, created_at from runs
        where workflow_id = ${workflowId} and (error is null or error <> 'x') order by created_at, id`
    /** The items once none of them waits. */
    const settled = async (): Promise<Item[]> => {
      let items: Item[] = []
      await until('every item is settled', 30_000, async () => {
        await stage.hurry()
        items = await stage.items()
        return items.length > 0 && items.every(({ state }) => state !== 'waiting')
      })
      return items
    }
    /** The reason, once the first item waits for one. */
    const held = async (): Promise<string> => {
      let items: Item[] = []
      await until('an item says why it waits', 30_000, async () => {
        await stage.hurry()
        items = await stage.items()
        return items.some(({ why }) => why !== null)
      })
      assert.deepEqual(new Set(items.map(({ state }) => state)), new Set(['waiting']))
      assert.equal((await runs()).length, 0)
      return items.find(({ why }) => why !== null)?.why ?? ''
    }
    return {
      workflowId,
      stage,
      runs,
      settled,
      held,
      [Symbol.asyncDispose]: async () => stage[Symbol.asyncDispose]?.(),
    }
  }
  const started = (items: Item[]) =>
    items.map(({ state, why }) => (state === 'started' ? state : why))
  const all = (count: number) => Array.from({ length: count }, () => 'started')

  it('starts one run of each item, whichever process dies and when', async () => {
    await using one = await stageOf()
    await one.stage.send(['a', 'b', 'c'])
    {
      await using _ = await startWorker()
      assert.deepEqual(started(await one.settled()), all(3))
    }
    const before = await one.runs()
    assert.equal(before.length, 3)
    const { triggered_by: by } = await app.get(`/v1/runs/${before[0]?.id}`)
    const people = [by, ...(by.on_behalf_of ?? [])].filter(({ type }) => type === 'key')
    assert.deepEqual(pluck(people, 'name'), ['first admin key'], 'who is behind it is named')
    await one.stage.unsettle()
    await using _ = await startWorker()
    assert.deepEqual(started(await one.settled()), all(3))
    assert.deepEqual(await one.runs(), before)
  })

  it('starts one run of each item in two processes', async () => {
    await using one = await stageOf()
    await one.stage.send(Array.from({ length: 12 }, (_, at) => `input ${at}`))
    await using _first = await startWorker()
    await using _second = await startWorker()
    assert.deepEqual(started(await one.settled()), all(12))
    assert.equal((await one.runs()).length, 12)
  })

  it('starts nothing in an unreleased copy of the database', async () => {
    await using one = await stageOf()
    await app.sql`
      insert into epochs (number, reason, system_identifier, timeline, home, deliveries_held)
      select number + 1, 'copied', system_identifier, timeline, home, true
      from epochs order by number desc limit 1`
    await one.stage.send(['a', 'b'])
    await using _ = await startWorker()
    const release = () => app.sql`update epochs set deliveries_held = false`
    await startsNothingBefore(one, release)
  })

  it('starts nothing while the account is suspended', async () => {
    await using one = await stageOf()
    await one.stage.send(['a', 'b'])
    const path = `/v1/operator/accounts/${app.accountId}`
    await app.post(`${path}/suspend`, { reason: 'x' })
    await using _ = await startWorker()
    await startsNothingBefore(one, () => app.post(`${path}/resume`))
  })

  /** Nothing starts before `release`, though a worker executes another account's runs. */
  async function startsNothingBefore(
    one: Awaited<ReturnType<typeof stageOf>>,
    release: () => Promise<unknown>,
  ): Promise<void> {
    const { adminKey } = canary
    const workflowId = await createWorkflow(adminKey)
    for (let runs = 0; runs < 2; runs++) {
      await one.stage.hurry()
      assert.equal((await app.run(workflowId, 'go', adminKey)).status, 'completed')
    }
    assert.equal((await one.runs()).length, 0)
    await release()
    assert.deepEqual(started(await one.settled()), all(2))
  }

  it('waits while the workflow is paused', async () => {
    await using one = await stageOf({ status: 'paused' })
    await one.stage.send(['a', 'b'])
    await using _ = await startWorker()
    assert.match(await one.held(), /the workflow is paused/)
    await app.patch(`/v1/workflows/${one.workflowId}`, { status: 'active' })
    assert.deepEqual(started(await one.settled()), all(2))
  })

  it('waits while a quota is used up', async (t) => {
    await using one = await stageOf()
    await one.stage.send(['a', 'b'])
    const path = `/v1/operator/accounts/${app.accountId}`
    await app.patch(path, { max_runs_a_day: 1 })
    t.after(() => app.patch(path, { max_runs_a_day: null }))
    await app.call('POST', `/v1/workflows/${await createWorkflow()}/runs`, { body: { input: 'a' } })
    await using _ = await startWorker()
    assert.match(await one.held(), /the operator allows 1 runs a day/)
    await app.patch(path, { max_runs_a_day: null })
    assert.deepEqual(started(await one.settled()), all(2))
  })

  it('waits while a budget is used up', async () => {
    await using one = await stageOf()
    const fields = { scope: 'workflow', scope_value: one.workflowId, window: 'day', cap_usd: 1 }
    const { id } = await app.post('/v1/budgets', { ...fields, name: 'B', on_cap: 'refuse' })
    await app.sql`update budget_windows set spent_usd = 2 where budget_id = ${id}`
    await one.stage.send(['a', 'b'])
    await using _ = await startWorker()
    assert.match(await one.held(), /the budget B .* is spent/)
    await app.delete(`/v1/budgets/${id}`)
    assert.deepEqual(started(await one.settled()), all(2))
  })

  if (unbounded !== undefined) {
    it(`an input of 0 or 20,000 characters is ${unbounded}`, async () => {
      await using one = await stageOf()
      await one.stage.send(['', 'x'.repeat(20_000), 'good'])
      await using _ = await startWorker()
      const [empty, long, good] = await one.settled()
      assert.deepEqual([empty?.state, long?.state, good?.state], [unbounded, unbounded, 'started'])
      if (unbounded === 'started') return
      assert.match(empty?.why ?? '', /input has 0 characters, at least 1/)
      assert.match(long?.why ?? '', /input has 20000 characters, at most 16000/)
    })
  }

  const skip = onCitus('it makes a trigger on a distributed table')
  it('fails an item that fails five times, and starts the ten behind it', { skip }, async () => {
    await using one = await stageOf()
    await app.sql`
      create or replace function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.input like '%poison%' and (new.error is null) then
          raise exception 'poison' using errcode = 'XX000';
        end if;
        return new;
      end $$`
    await one.stage.send(['poison', ...Array.from({ length: 10 }, (_, at) => `good ${at}`)])
    await app.sql`create trigger poison before insert on runs for each row execute function refuse_poison()`
    try {
      await using _ = await startWorker()
      const [poison, ...good] = await one.settled()
      assert.equal(poison?.state, 'failed')
      assert.equal(poison?.why, 'It failed 5 times: the database refused it (XX000)')
      assert.deepEqual(started(good), all(10))
      assert.equal((await one.runs()).length, 10)
    } finally {
      await app.sql`drop trigger poison on runs`
    }
  })
}
