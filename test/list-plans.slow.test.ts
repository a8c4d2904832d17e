import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { fillAccounts, fillSkewed, keepStatistics, large } from '../rig/fill-skewed.ts'
import { listAudit } from '../server/audit/store.ts'
import { files } from '../server/files/store.ts'
import { listLog } from '../server/operator/account-store.ts'
import { listRows as listVersions } from '../server/versions/store.ts'
import { listItems } from '../server/sources/batches/item-store.ts'
import { listBatches } from '../server/sources/batches/store.ts'
import { listMessages as listThreadMessages } from '../server/sources/threads/message-store.ts'
import { listSummaries, listThreads } from '../server/sources/threads/store.ts'
import { listComments } from '../server/cases/store.ts'
import { listNotifications } from '../server/sends/channels/notifications.ts'
import type { Context } from '../server/context.ts'
import { createDatabase, createPool, type Database } from '../server/db/client.ts'
import { createPlainDatabase, type TestDatabase } from '../server/db/test-database.ts'
import { blocksOf, explain } from '../server/db/test-plans.ts'
import { listRequests } from '../server/engine/reads/requests.ts'
import { listRuns } from '../server/engine/reads/search.ts'
import { listWaiting } from '../server/engine/reads/waiting.ts'
import {
  listDeliveries as listHookDeliveries,
  readLastDeliveries,
} from '../server/sources/hooks/store.ts'
import { listMessages } from '../server/sources/mailboxes/store.ts'
import { listFirings, readLastFirings } from '../server/sources/schedules/store.ts'
import { sumUsage } from '../server/usage/usage-store.ts'
import { eachOf } from '../server/db/page.ts'
import { deliveries } from '../server/sends/webhooks/store.ts'
import { audit, pairs, runs, waiting } from './list-filters.ts'

/**
 * What a page of each list reads where one account has 98 % of everything: up to 100 blocks and 15
 * for each row asked for, whatever the filters find, with statistics as they are and as they were
 * at a tenth of the size.
 */
const size = {
  runs: 116_000,
  waiting: 10_000,
  others: 30_000,
  end: new Date(),
}
const limit = 51
const most = 100 + 15 * limit

type Ask = (database: Database) => Promise<unknown>

/**
 * Filters that read more: the full-text index has its runs in no order, so a word that 1 or 2 % of
 * them have is read as often; a cost is compared in the run itself, and a workflow merges its
 * statuses.
 */
const more: Record<string, number> = {
  'a word of some texts': 1_400,
  'a word of some': 2_800,
  'a cost': 700,
  'a workflow': 200,
  'an open status': 300,
  'a tag of a third': 100,
  'an agent': 100,
}

const page = { limit: limit - 1, after: undefined }
const account = large
const usage =
  (grouping: 'day' | 'workflow' | 'tag:customer' | 'tag:none'): Ask =>
  (on) => {
    const day = (ago: number): string =>
      new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    return sumUsage(on, account, {
      from: day(29),
      to: day(-1),
      grouping,
      limit,
      after: undefined,
    })
  }
const ofEndpoint =
  (endpoint: string, status?: string): Ask =>
  (on) =>
    deliveries.list(
      on,
      account,
      page,
      { endpoint_id: endpoint },
      eachOf('status', status, ['pending', 'succeeded', 'failed']),
    )
const others: Record<string, Ask> = {
  'deliveries of a failing endpoint': ofEndpoint('we_failing'),
  'failed deliveries, of which there are none': ofEndpoint('we_failing', 'failed'),
  'pending deliveries': ofEndpoint('we_failing', 'pending'),
  'events of a hook': (on) => listHookDeliveries(on, account, 'hook_1', page, undefined),
  'failed events of a hook': (on) => listHookDeliveries(on, account, 'hook_1', page, 'failed'),
  'the last events of hooks': (on) => readLastDeliveries(on, account, ['hook_1', 'hook_2']),
  firings: (on) => listFirings(on, account, 'sch_1', page, undefined),
  'missed firings': (on) => listFirings(on, account, 'sch_1', page, 'missed'),
  'the last firings': (on) => readLastFirings(on, account, ['sch_1', 'sch_2']),
  messages: (on) => listMessages(on, account, 'mbx_1', { ...page, status: undefined }),
  'failed messages': (on) => listMessages(on, account, 'mbx_1', { ...page, status: 'failed' }),
  threads: (on) => listThreads(on, account, page, {}),
  'closed threads, of which there are none': (on) =>
    listThreads(on, account, page, { status: 'closed' }),
  'threads of a workflow without any': (on) =>
    listThreads(on, account, page, { workflow_id: 'wf_6' }),
  'a thread by its key': (on) => listThreads(on, account, page, { key: 'k7' }),
  'threads with a rare word': (on) => listThreads(on, account, page, { words: ['7'] }),
  'messages of a thread': (on) =>
    listThreadMessages(on, account, 'thr_1', {
      limit,
      after: { turn: 900, role: 'user' },
      order: 'asc',
    }),
  'the newest messages of a thread': (on) =>
    listThreadMessages(on, account, 'thr_1', { limit, after: undefined, order: 'desc' }),
  'summaries of a thread': (on) =>
    listSummaries(on, account, 'thr_1', { limit, before: 2_147_483_647 }),
  batches: (on) => listBatches(on, account, page, undefined),
  'batches of a workflow without any': (on) => listBatches(on, account, page, 'wf_6'),
  items: (on) => listItems(on, account, 'bat_1', { limit, after: 20_000 }),
  'failed items': (on) => listItems(on, account, 'bat_1', { limit, after: 0, status: 'failed' }),
  'items with warnings': (on) =>
    listItems(on, account, 'bat_1', { limit, after: 0, hasWarnings: true }),
  files: (on) => files.list(on, account, page),
  versions: (on) => listVersions(on, account, 'wf_1', { limit, before: undefined }),
  "the operator's log": (on) => listLog(on, page),
  "calls of callers' tools": (on) => listRequests(on, account, page, {}),
  'open calls, of which there are none': (on) =>
    listRequests(on, account, page, { status: 'requested' }),
  'calls of a tool': (on) => listRequests(on, account, page, { name: 'lookup' }),
  'calls of a run': (on) =>
    listRequests(on, account, page, { run_id: `run_${'7'.padStart(26, '0')}` }),
  comments: (on) => listComments(on, account, 'pnd_1', { limit, after: undefined }),
  'usage by day': usage('day'),
  'usage by workflow': usage('workflow'),
  'usage by a tag': usage('tag:customer'),
  'usage by a tag of none': usage('tag:none'),
}
const notifications: Record<string, Parameters<typeof listNotifications>[2]> = {
  'no filter': {},
  'a channel': { channel_id: 'ch_1' },
  'a channel without messages': { channel_id: 'ch_3' },
  'a run': { run_id: `run_${'7'.padStart(26, '0')}` },
  'a request': { pending_id: `pnd_${'7'.padStart(26, '0')}` },
  'a status': { status: 'sent' },
  'a status of none': { status: 'failed' },
}

for (const statistics of ['fresh', 'old'] as const) {
  describe(`a page, with ${statistics} statistics`, () => {
    let testDatabase: TestDatabase
    before(async () => {
      testDatabase = await createPlainDatabase()
      await using database = createDatabase(
        createPool(testDatabase.url, 1, { statementMs: 0, answerMs: 0 }),
      )
      await fillAccounts(database)
      const end = statistics === 'fresh' ? 1 : 0.1
      await fillSkewed(database, size, { from: 0, to: end })
      await keepStatistics(database)
      if (end < 1) {
        await fillSkewed(database, size, { from: end, to: 1 })
        await sql`vacuum`.execute(database)
      }
    })
    after(() => testDatabase[Symbol.asyncDispose]())

    // With old statistics, the runs of the time in question are read one by one.
    const allowedMore = (name: string): number =>
      name === 'a word of some texts' && statistics === 'old' ? 7_000 : (more[name] ?? 0)
    const check = async (ask: Ask, allowed = most): Promise<void> => {
      const plan = await explain(testDatabase.url, ask)
      const blocks = blocksOf(plan)
      assert.ok(blocks <= allowed, `${blocks} blocks\n${plan}`)
    }

    describe('of runs, by', () => {
      for (const [names, filter] of pairs(runs)) {
        const extra = names.split(' and ').map((name) => allowedMore(name))
        const allowed = most + extra.reduce((sum, one) => sum + one, 0)
        it(names, () =>
          check((on) => listRuns(on, account, { limit, after: undefined, ...filter }), allowed),
        )
      }
    })
    describe('of what waits for a person, by', () => {
      for (const [names, filter] of pairs(waiting)) {
        it(names, () => check((on) => listWaiting(on, account, { limit, ...filter })))
      }
    })
    describe('of the audit, by', () => {
      for (const [names, filter] of pairs(audit)) {
        it(names, () => check((on) => listAudit(on, account, page, filter)))
      }
    })
    describe('of notifications, by', () => {
      for (const [names, filter] of pairs(notifications)) {
        it(names, () =>
          check((on) =>
            listNotifications({ reads: on, accountId: account } as Context, page, filter),
          ),
        )
      }
    })
    for (const [name, ask] of Object.entries(others)) {
      // Days and durations of each value.
      const allowed = name === 'usage by a tag' ? 2 * most : most
      it(name, () => check(ask, allowed))
    }
  })
}
