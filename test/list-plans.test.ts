import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { fillAccounts, fillSkewed, large as account } from '../rig/fill-skewed.ts'
import { listAudit, type AuditEntry } from '../server/audit/store.ts'
import { createDatabase, createPool, type Database } from '../server/db/client.ts'
import type { Cursor } from '../server/db/keyset.ts'
import { createPlainDatabase, type TestDatabase } from '../server/db/test-database.ts'
import { listRunKeys, listRuns } from '../server/engine/reads/search.ts'
import { listWaiting } from '../server/engine/reads/waiting.ts'
import { resources } from '../server/start/routes.ts'
import { audit, pairs, runs, waiting } from './list-filters.ts'

/**
 * Lists with several filters find the same as a plain statement, page after page. What they read for
 * it is in `list-plans.slow.test.ts`, for each list of the API that may become long.
 */
let testDatabase: TestDatabase
let database: Database
const limit = 40

before(async () => {
  testDatabase = await createPlainDatabase()
  database = createDatabase(createPool(testDatabase.url, 1))
  await fillAccounts(database)
  const end = new Date(Math.floor(Date.now() / 1_000) * 1_000)
  await fillSkewed(database, { runs: 4_000, waiting: 400, others: 1_500, end })
  await sql`analyze`.execute(database)
})
after(async () => {
  await database.destroy()
  await testDatabase[Symbol.asyncDispose]()
})

/** The ids of the first pages. */
async function idsOf(read: (after: Cursor | undefined) => Promise<Cursor[]>): Promise<string[]> {
  const ids: string[] = []
  let after: Cursor | undefined
  for (let page = 0; page < 4; page++) {
    const keys = await read(after)
    ids.push(...keys.map(({ id }) => id))
    if (keys.length < limit) break
    after = keys.at(-1)
  }
  return ids
}

describe('runs by', () => {
  for (const [names, filter] of pairs(runs)) {
    it(names, async () => {
      const found = await idsOf(async (after) =>
        (await listRuns(database, account, { ...filter, limit, after })).map(
          ({ id, created_at: at }) => ({ id, at }),
        ),
      )
      const expected = await idsOf(async (after) =>
        (await listRunKeys(database, account, { ...filter, limit, after })).map(
          ({ id, created_at: at }) => ({ id, at }),
        ),
      )
      assert.deepEqual(found, expected)
    })
  }
})

describe('what waits for a person by', () => {
  const matches = async (filter: (typeof waiting)[string]): Promise<string[]> => {
    const all = await listWaiting(database, account, { limit: 10_000 })
    const { rows } = await sql<{ run_id: string; assignee_id: string }>`
      select run_id, assignee_id from cases`.execute(database)
    const assignees = new Map(rows.map((row) => [row.run_id, row.assignee_id]))
    const is = (asked: unknown, value: unknown): boolean => asked === undefined || asked === value
    return all
      .filter(
        ({ run_id, workflow_id, pending }) =>
          is(filter.workflow_id, workflow_id) &&
          is(filter.action, pending.tool ?? pending.kind) &&
          is(filter.assignee, assignees.get(run_id)) &&
          is(filter.pendingId, pending.id) &&
          (filter.before === undefined || pending.created_at <= filter.before) &&
          (filter.q === undefined || JSON.stringify(pending).includes(filter.q)),
      )
      .map(({ run_id }) => run_id)
  }
  for (const [names, filter] of pairs(waiting)) {
    it(names, async () => {
      const found = await idsOf(async (after) =>
        (await listWaiting(database, account, { ...filter, limit, after })).map((row) => ({
          id: row.run_id,
          at: row.pending.created_at,
        })),
      )
      assert.deepEqual(found, (await matches(filter)).slice(0, 4 * limit))
    })
  }

  it('a call of a case of several', async () => {
    const [one] = await listWaiting(database, account, { limit: 1 })
    const call = { id: 'pnd_call', kind: 'approval', prompt: 'p', tool: 'other.tool', call_id: 'c' }
    const pending = JSON.stringify({
      ...one?.pending,
      case_id: 'pnd_case',
      calls: [one?.pending, call],
    })
    await sql`update runs set pending = ${pending}::json where account_id = ${account} and id = ${one?.run_id}`.execute(
      database,
    )
    const filters = [
      { action: 'other.tool' },
      { action: 'other.tool', workflow_id: one?.workflow_id ?? '' },
      { pendingId: 'pnd_case' },
      { pendingId: 'pnd_call' },
    ]
    for (const filter of filters) {
      const found = await listWaiting(database, account, { limit, ...filter })
      assert.deepEqual(
        found.map(({ run_id }) => run_id),
        [one?.run_id],
      )
    }
  })
})

describe('the audit by', () => {
  for (const [names, filter] of pairs(audit)) {
    it(names, async () => {
      const all = await listAudit(database, account, { limit: 10_000, after: undefined }, {})
      const found: AuditEntry[] = []
      let after: Cursor | undefined
      do {
        const page = await listAudit(database, account, { limit, after }, filter)
        found.push(...page.items)
        after = page.next
      } while (after !== undefined)
      const isActivity = ({ action }: AuditEntry): boolean => action === 'run.triggered'
      const expected = all.items.filter(
        (entry) =>
          (filter.actor_id === undefined || entry.actor.id === filter.actor_id) &&
          (filter.object_id === undefined || entry.object.id === filter.object_id) &&
          (filter.action === undefined || entry.action === filter.action) &&
          (filter.kind === undefined || isActivity(entry) === (filter.kind === 'activity')) &&
          (filter.to === undefined || entry.created_at < filter.to),
      )
      assert.deepEqual(found, expected)
    })
  }
})

describe('the lists of the API', () => {
  it('are tried for what a page reads, unless they stay short', () => {
    const tried = `audit.list runs.list runs.list_all pending.list batches.list batches.items webhooks.deliveries
      notifications.list mailboxes.messages pending.comments files.list usage.list schedules.firings hooks.deliveries
      workflows.versions.list agents.versions.list operator.log.list tool_calls.list threads.list threads.messages
      threads.summaries`
    // Bounded by a limit of the account, the agent or the run, or made by hand.
    const short = `api_keys.list workflows.list runs.turns budgets.list agents.list agents.memory.list
      workflows.memory.list webhooks.list channels.list mailboxes.list alerts.list connectors.list fine_tunes.list
      fine_tunes.events models.list model_providers.list sessions.list grants.list users.list invitations.list
      operator.accounts.list views.list schedules.list hooks.list tool_workers.list`
    const lists = resources()
      .flatMap(({ operations }) => operations)
      .filter(({ answer }) => answer.isPaged)
      .map(({ id }) => id)
    assert.deepEqual(lists.toSorted(), `${tried} ${short}`.split(/\s+/).toSorted())
  })
})
