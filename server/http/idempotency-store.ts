import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/client.ts'
import { fewRows, quickCommit } from '../db/fragments.ts'
import { statement, type Given } from '../db/statement.ts'
import { eachPart, execute, run } from '../db/run.ts'

/** SQL of idempotency keys. */
export interface IdempotentKey {
  accountId: string
  key: string
  /** Method and path. */
  route: string
}

export interface IdempotentRequest extends IdempotentKey {
  bodyHash: Buffer
  /** UUID from which the id of the created resource is derived. */
  reserved: string
}

export interface StoredAnswer {
  status: number
  answer: Buffer | null
  encrypted: boolean
}

export type Other =
  | { kind: 'replay'; status: number; answer: Buffer; encrypted: boolean }
  /** The request was answered, but its response could not be stored. */
  | { kind: 'not-kept' }
  | { kind: 'other-body' }
  | { kind: 'in-progress' }

/** `locked_at` of a reset key: older than any lease. */
const longAgo = sql.raw("timestamptz 'epoch'")
const keptFor = sql.raw("interval '24 hours'")

/** The existing row has expired, so the new request replaces it. */
const isOver = sql`excluded.created_at - mine.created_at > ${keptFor}`

/**
 * Claims keys for their requests. Returns the UUID that each request runs with (after a crash, that
 * of the first try), or undefined if another request has the key. A claim expires after `leaseMs`
 * unless its request renews it.
 */
export async function claimKeys(
  database: Database,
  requests: IdempotentRequest[],
  leaseMs: number,
): Promise<(string | undefined)[]> {
  // Of several requests with the same key, the first gets it.
  const firsts = new Map(requests.toReversed().map((request) => [identityOf(request), request]))
  const input = [...firsts.values()].map(({ bodyHash, reserved, ...request }) => ({
    ...toRow(request),
    body_hash: bodyHash.toString('hex'),
    reserved,
  }))
  const rows = await run(database, requests, claims({ input: JSON.stringify(input), leaseMs }, {}))
  const reserved = new Map(rows.map((row) => [row.name, row.reserved]))
  return requests.map((request) => {
    const name = identityOf(request)
    return firsts.get(name) === request ? reserved.get(name) : undefined
  })
}

// Sorted by key, so that batches of two processes cannot deadlock.
const claims = statement(
  (given: Given<{ input: string; leaseMs: number }>) => sql<{ name: string; reserved: string }>`
    insert into idempotency_keys as mine (account_id, key, route, body_hash, reserved)
    select account_id, key, route, decode(body_hash, 'hex'), reserved
    from json_to_recordset(${given.input}::json) as input
      (account_id text, key text, route text, body_hash text, reserved uuid)
    order by account_id, key, route
    on conflict (account_id, key, route) do update
      set locked_at = excluded.locked_at,
          body_hash = excluded.body_hash,
          status = null, answer = null, encrypted = false,
          reserved = case
            when ${isOver} or mine.body_hash <> excluded.body_hash
            then excluded.reserved else mine.reserved end,
          created_at = case when ${isOver} then excluded.created_at else mine.created_at end
      where ${isOver}
         or (mine.status is null
             and excluded.locked_at - mine.locked_at > make_interval(secs => ${given.leaseMs}::float8 / 1000)
             and (mine.body_hash = excluded.body_hash or mine.locked_at = ${longAgo}))
    returning ${identityOfRow} as name, reserved, ${quickCommit} as quick`,
)

/** State of the request that has the key. */
export async function readOther(database: Database, request: IdempotentRequest): Promise<Other> {
  const found = await database
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status', 'answer', 'encrypted'])
    .where(isOf(request))
    .executeTakeFirst()
  // The other request has just failed and released the key.
  if (found === undefined) return { kind: 'in-progress' }
  if (!found.body_hash.equals(request.bodyHash)) return { kind: 'other-body' }
  const { status, answer, encrypted } = found
  if (status === null) return { kind: 'in-progress' }
  if (answer === null) return { kind: 'not-kept' }
  return { kind: 'replay', status, answer, encrypted }
}

/** What a key is reserved for, and whether by a request with the same body; undefined if no request has it. */
export async function findReserved(
  database: Database,
  request: IdempotentRequest,
): Promise<{ reserved: string; isSame: boolean } | undefined> {
  const found = await database
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'reserved'])
    .where(isOf(request))
    .executeTakeFirst()
  return found && { reserved: found.reserved, isSame: found.body_hash.equals(request.bodyHash) }
}

function isOf({ accountId, key, route }: IdempotentKey): RawBuilder<boolean> {
  return sql`(account_id = ${accountId} and key = ${key} and route = ${route})`
}

/** Unique, because neither a route nor a key contains a line break. */
function identityOf({ accountId, key, route }: IdempotentKey): string {
  return [accountId, route, key].join('\n')
}

const identityOfRow = sql.raw(`concat_ws(E'\\n', account_id, route, key)`)

function toRow({ accountId, key, route }: IdempotentKey) {
  return { account_id: accountId, key, route }
}

/**
 * Renews the claims of long requests. Skips locked rows, which are being claimed or answered at
 * this moment.
 */
export async function renewClaims(database: Database, requests: IdempotentKey[]): Promise<void> {
  const input = requests.map((request, number) => ({ number, ...toRow(request) }))
  await execute(database, requests, heartbeats({ input: JSON.stringify(input) }, {}))
}

const heartbeats = statement(
  (given: Given<{ input: string }>) => sql`
    update idempotency_keys set locked_at = now()
    where ctid = any(array(
      select mine.ctid from (
        select * from json_to_recordset(${given.input}::json) as input
          (number int, account_id text, key text, route text)
        where ${fewRows}) as input
      join idempotency_keys as mine
        on mine.account_id = input.account_id and mine.key = input.key and mine.route = input.route
      where mine.status is null
      for update of mine skip locked))`,
)

/**
 * `areRepeatable`: repeating the request gives the same response, so its commit need not wait for
 * the disk.
 */
export async function storeAnswers(
  database: Database,
  answered: (IdempotentKey & StoredAnswer)[],
  areRepeatable: boolean,
): Promise<void> {
  const input = answered.map(({ status, answer, encrypted, ...request }, number) => ({
    number,
    ...toRow(request),
    status,
    answer: answer?.toString('base64'),
    encrypted,
  }))
  await run(database, answered, answers({ input: JSON.stringify(input) }, { areRepeatable }))
}

const answers = statement(
  (given: Given<{ input: string }>, { areRepeatable }: { areRepeatable: boolean }) => sql`
    update idempotency_keys as mine
    set status = input.status, answer = decode(input.answer, 'base64'), encrypted = input.encrypted
    from (
      select * from json_to_recordset(${given.input}::json) as input
        (number int, account_id text, key text, route text, status int, answer text, encrypted boolean)
      where ${fewRows}) as input
    where mine.account_id = input.account_id and mine.key = input.key and mine.route = input.route
    returning ${areRepeatable ? quickCommit : sql`1`} as one`,
)

/** Releases the key of a request that changed nothing. */
export async function release(database: Database, request: IdempotentRequest): Promise<void> {
  await sql`
    delete from idempotency_keys where ${isOf(request)} and status is null`.execute(database)
}

/**
 * Lets a failed request be repeated at once. It may have done its work, for example if the
 * connection broke during the commit, so a repeat runs with the same reserved id.
 */
export async function reset(database: Database, request: IdempotentRequest): Promise<void> {
  await sql`
    update idempotency_keys set locked_at = ${longAgo}
    where ${isOf(request)} and status is null`.execute(database)
}

/** Deletes keys older than 24 hours, at most 1,000 at a time. Returns how many. */
export function pruneIdempotencyKeys(database: Database): Promise<number> {
  const isOld = sql`created_at < now() - ${keptFor}`
  return eachPart(database, sql`idempotency_keys where ${isOld}`, async (scope) => {
    const query = sql`
      delete from idempotency_keys
      where (account_id, key, route) in (
        select account_id, key, route from idempotency_keys
        where ${isOld} limit 1000)
      returning 1 as one`
    return (await run(database, scope, query)).length
  })
}
