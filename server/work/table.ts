import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { fewRows, keyTable } from '../db/fragments.ts'
import { aroundParts, eachPart, execute, run, runEach } from '../db/run.ts'
import { statement, type Given } from '../db/statement.ts'
import { isServed, isUnreleasedCopy } from './claim.ts'

/**
 * SQL of tables whose rows are work to be done later, such as events of hooks and deliveries of webhooks. Due rows are
 * claimed by turns among accounts, claims are renewed while the work goes on and expire with their process, and
 * outcomes are recorded. Rows of accounts that are suspended or being deleted wait, and so do all rows of an unreleased
 * copy of the database.
 */
export interface WorkTable<Item extends WorkItem> {
  name: string
  /** Whether a row is still to be done. `item` is its alias, here and in `isReady`. */
  isOpen: RawBuilder<boolean>
  /** Column with the time from which an open row may be worked on. */
  dueAt: string
  /** Column with the end of a claim; left out if a claim moves `dueAt`. */
  claimedUntil?: string
  leaseSeconds: number
  lane?: Lane
  /** Columns that order the rows of a lane; `dueAt` by default. */
  order?: string[]
  /** Which lanes are served; by default all of accounts that are. `lane` has `account_id` and `name`. */
  isServed?: RawBuilder<boolean>
  /** Whether all rows are held; in an unreleased copy by default. */
  areHeld?: RawBuilder<boolean>
  /** The columns of an item besides its keys, from `claimed` and what `joins` adds. */
  columns?: RawBuilder<unknown>
  joins?: RawBuilder<unknown>
  /** Reads columns with times and bytes. */
  cast?: { readonly [Column in keyof Item]?: (text: string) => Item[Column] | Date | Buffer }
  /** Converts a row, if its columns are not yet those of an item. */
  read?: (row: Item) => Item
  settled: SettledColumns
}

/** The columns that a settlement writes besides the time of the next try. */
interface SettledColumns {
  /** Types by name. */
  columns: Record<string, string>
  /** Those of them that are compared instead: a row with another value is left as it is. */
  same?: string[]
  /** Column with the time of the settlement. */
  at?: 'settled_at'
}

/** The columns of most tables. */
export const outcomeColumns = { status: 'text', why: 'text', tries: 'int' }

/** Rows of an account that share a limit, such as the deliveries to an endpoint. */
interface Lane {
  /** Column with the same value in all rows of a lane, which is the item's `lane`. */
  column: string
  /** Maximum rows in progress in a process. */
  atOnce: number
  /** A row is claimed only while no other one of its lane is in progress or waits for another try. */
  isOrdered?: true
}

export interface WorkItem {
  accountId: string
  id: string
  lane?: string
  /** Failed tries so far. */
  tries?: number
  /** How long the item has waited. */
  ageSeconds?: number
}

/** How many rows of a lane a process has in progress. */
export interface BusyLane {
  accountId: string
  lane: string
  count: number
}

interface ClaimLimits {
  count: number
  perAccount: number
  busy: BusyLane[]
}

interface Claimed<Item> {
  items: Item[]
  /** Cursor for the next claim; '' after the last lane. */
  next: string
  /** Another process was claiming, so nothing was claimed. */
  isBusy: boolean
}

export type Claim<Item> = (
  database: Database,
  limits: ClaimLimits,
  after: string,
) => Promise<Claimed<Item>>

/** Lanes that one claim reads. */
const lanesPerClaim = 500
/** An arbitrary constant: the class of the advisory locks of claims. */
const claimLocks = 0x6d77726b

/**
 * Makes the claim of a table, which takes turns among accounts, so that neither an account with many rows nor a slow lane
 * delays others. It reads lanes after the cursor `after`; '' is before the first. One process at a time claims.
 */
export function claimOf<Item extends WorkItem>(table: WorkTable<Item>): Claim<Item> {
  const claiming = statement((given: Given<ClaimValues>) => toClaim(table, given))
  const { name, cast = {}, read = (row) => row, areHeld = isUnreleasedCopy } = table
  return (database, { count, perAccount, busy }, after) =>
    aroundParts(database, async (transaction) => {
      // A statement of its own, so that the next one sees everything that earlier claims have committed.
      const { rows } = await sql<{ isFree: boolean; isHeld: boolean }>`
        select pg_try_advisory_xact_lock(${sql.lit(claimLocks)}, hashtext(${name})) as "isFree",
               ${areHeld} as "isHeld"`.execute(transaction)
      const isFree = rows[0]?.isFree === true
      if (!isFree || rows[0]?.isHeld !== false) return { items: [], next: '', isBusy: !isFree }
      const [account = '', lane = ''] = after.split(' ')
      const values = { account, lane, perAccount, busy: JSON.stringify(busy) }
      const items: Item[] = []
      const cursors: string[] = []
      await eachPart(
        database,
        dueRows(table, account),
        async (scope, connection) => {
          const left = count - items.length
          if (left <= 0) {
            cursors.push(after)
            return 0
          }
          const query = claiming({ ...values, count: left }, {})
          const found = await run(connection, scope, query, cast)
          // There is a row even if nothing is due.
          cursors.push(found[0]?.next ?? '')
          const claimed = found.filter(({ id }) => id !== null) as unknown as Item[]
          return items.push(...claimed.map(read))
        },
        { within: transaction },
      )
      const [next = ''] = cursors.filter((cursor) => cursor !== '').sort()
      return { items, next, isBusy: false }
    })
}

interface ClaimValues {
  account: string
  lane: string
  count: number
  perAccount: number
  /** `BusyLane`s as JSON. */
  busy: string
}

function toClaim<Item extends WorkItem>(
  table: WorkTable<Item>,
  given: Given<ClaimValues>,
): RawBuilder<{ next: string; id: string | null }> {
  const { isOpen, dueAt, lane, leaseSeconds, joins = sql`` } = table
  const columns = table.columns === undefined ? sql`` : sql`, ${table.columns}`
  const name = sql.table(table.name)
  const claimed = sql.ref(table.claimedUntil ?? dueAt)
  const laneOf = (alias: string) =>
    lane === undefined ? sql`''::text` : sql`${sql.ref(`${alias}.${lane.column}`)}`
  const behind = (account: RawBuilder<string>, own: RawBuilder<string>) =>
    lane === undefined
      ? sql`item.account_id > ${account}`
      : sql`(item.account_id, ${laneOf('item')}) > (${account}, ${own})`
  const byLane = lane === undefined ? sql`account_id` : sql`account_id, ${sql.ref(lane.column)}`
  const inLane = (alias: string) =>
    lane === undefined
      ? sql`${sql.ref(`${alias}.account_id`)} = lane.account_id`
      : sql`${sql.ref(`${alias}.account_id`)} = lane.account_id and ${laneOf(alias)} = lane.name`
  const order = (table.order ?? [dueAt]).map((column) => sql.ref(`item.${column}`))
  const isAlone =
    lane?.isOrdered === undefined
      ? sql``
      : sql`and not exists (
          select from ${name} as item where ${inLane('item')} and ${isOpen} and not ${isDue(table)})`
  const atOnce =
    lane === undefined
      ? given.count
      : sql`greatest(0, ${sql.lit(lane.atOnce)} - coalesce((
          select busy.count from busy where busy."accountId" = lane.account_id and busy.lane = lane.name), 0))`
  return sql`
    with recursive lane (account_id, name, number) as (
      -- Each lane with open rows, by one index probe.
      (select item.account_id, ${laneOf('item')}, 1 from ${name} as item
       where ${isOpen} and ${behind(sql`${given.account}::text`, sql`${given.lane}::text`)}
       order by ${byLane} limit 1)
      union all
      select next.account_id, next.name, lane.number + 1
      from lane cross join lateral (
        select item.account_id, ${laneOf('item')} as name from ${name} as item
        where ${isOpen} and ${behind(sql`lane.account_id`, sql`lane.name`)}
        order by ${byLane} limit 1) as next
      where lane.number < ${sql.lit(lanesPerClaim)}
    ), busy as materialized (
      select * from json_to_recordset(${given.busy}::json) as busy ("accountId" text, lane text, count int)
    ), candidate as materialized (
      select one.place,
             row_number() over (partition by lane.account_id order by one.due_at)
               + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
      from lane cross join lateral (
        select item.ctid as place, ${sql.ref(`item.${dueAt}`)} as due_at from ${name} as item
        where ${inLane('item')} and ${isOpen} and ${isDue(table)} ${isAlone}
        order by ${sql.join(order)}
        limit ${atOnce}) as one
      where ${table.isServed ?? isServed('lane')}
    ), claimed as (
      update ${name} as item
      set ${claimed} = now() + ${sql.lit(leaseSeconds)} * interval '1 second'
      -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
      where item.ctid = any(array(
        select place from candidate where turn <= ${given.perAccount}::int
        order by turn limit ${given.count}::int)) and ${isOpen} and ${isDue(table)}
      returning item.*
    )
    select case when (select count(*) from lane) < ${sql.lit(lanesPerClaim)} then ''
             else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
           one.*
    from (select) as always left join (
      select claimed.account_id as "accountId", claimed.id, ${laneOf('claimed')} as lane${columns}
      from claimed ${joins}) as one on true`
}

/** Accounts with due rows that a cursor has not passed. */
function dueRows<Item extends WorkItem>(
  table: WorkTable<Item>,
  account: string,
): RawBuilder<unknown> {
  return sql`${sql.table(table.name)} as item
    where ${table.isOpen} and ${isDue(table)} and item.account_id >= ${account}`
}

function isDue({
  dueAt,
  claimedUntil,
}: Pick<WorkTable<never>, 'dueAt' | 'claimedUntil'>): RawBuilder<boolean> {
  const due = sql<boolean>`${sql.ref(`item.${dueAt}`)} <= now()`
  if (claimedUntil === undefined) return due
  const claimed = sql.ref(`item.${claimedUntil}`)
  return sql`(${due} and (${claimed} is null or ${claimed} <= now()))`
}

/**
 * Renews claims whose work is in progress. Skips locked rows, which are just being recorded, so that it cannot deadlock
 * with the recording statement.
 */
export async function renewClaims(
  database: Database,
  table: Pick<WorkTable<never>, 'name' | 'isOpen' | 'dueAt' | 'claimedUntil' | 'leaseSeconds'>,
  items: WorkItem[],
): Promise<void> {
  const name = sql.table(table.name)
  const claimed = table.claimedUntil ?? table.dueAt
  await runEach(database, items, async (part) => {
    const query = sql`
      update ${name}
      set ${sql.ref(claimed)} = now() + ${sql.lit(table.leaseSeconds)} * interval '1 second'
      where ctid = any(array(
        select item.ctid from ${keyTable(part)} as named
        join ${name} as item on item.account_id = named.account_id and item.id = named.id
        where ${table.isOpen} and ${sql.ref(`item.${claimed}`)} > now()
        for update of item skip locked))`
    await execute(database, part, query)
    return []
  })
}

/** What is recorded of a row. */
export interface Settlement {
  accountId: string
  id: string
  /** Seconds to the next try; null if there is none. */
  waitSeconds: number | null
  /** Recorded even if the row was settled otherwise meanwhile. */
  isCertain: boolean
  /** Other columns. */
  values: Record<string, string | number | boolean | null>
}

/** Records outcomes. */
export async function settleRows(
  database: Database,
  table: Pick<WorkTable<never>, 'name' | 'isOpen' | 'dueAt' | 'claimedUntil' | 'settled'>,
  settlements: Settlement[],
  within?: Transaction,
): Promise<void> {
  const { columns, same = [], at } = table.settled
  const names = Object.keys(columns)
  const types = sql.raw(names.map((name) => `, ${name} ${columns[name]}`).join(''))
  const written = names.filter((name) => !same.includes(name))
  const pairs = (some: string[], alias = ''): RawBuilder<unknown>[] =>
    some.map((name) => sql`${sql.ref(`${alias}${name}`)} = ${sql.ref(`input.${name}`)}`)
  const set = [
    ...pairs(written),
    sql`${sql.ref(table.dueAt)} = now() + input.wait_seconds * interval '1 second'`,
    ...(table.claimedUntil === undefined ? [] : [sql`${sql.ref(table.claimedUntil)} = null`]),
    ...(at === undefined
      ? []
      : [sql`${sql.ref(at)} = case when input.wait_seconds is null then now() end`]),
  ]
  const isSame = [
    ...pairs(['account_id', 'id', ...same], 'item.'),
    sql`(${table.isOpen} or input.is_certain)`,
  ]
  // Sorted, so that two processes cannot deadlock.
  const sorted = settlements.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await runEach(database, sorted, async (part) => {
    const input = part.map(({ accountId, id, waitSeconds, isCertain, values }, number) => ({
      number,
      account_id: accountId,
      id,
      wait_seconds: waitSeconds,
      is_certain: isCertain,
      ...values,
    }))
    const query = sql`
      update ${sql.table(table.name)} as item set ${sql.join(set)}
      from (
        select * from json_to_recordset(${JSON.stringify(input)}::json) as input
          (number int, account_id text, id text, wait_seconds float8, is_certain boolean${types})
        where ${fewRows}) as input
      where ${sql.join(isSame, sql` and `)}`
    await execute(within ?? database, part, query)
    return []
  })
}
