import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/client.ts'
import { atHome } from '../db/at-home.ts'
import { eachShard } from '../db/look-over.ts'
import { quickCommit } from '../db/quick-commit.ts'
import { isSpread } from '../db/spread-dialect.ts'
import { statement, type Given, type ValueOf } from '../db/statement.ts'

/** SQL of idempotency keys. */
interface IdempotentKey {
  accountId: string
  key: string
  /** Method and path. */
  route: string
}

export interface IdempotentRequest extends IdempotentKey {
  bodyHash: Buffer
  /** UUID for what the request makes. */
  reserved: string
}

interface StoredAnswer {
  status: number
  answer: Buffer | null
  encrypted: boolean
}

export type Claim =
  /** This request is the one to run; a repeat after a crash gets the UUID of the first try. */
  | { kind: 'run'; reserved: string }
  | { kind: 'replay'; status: number; answer: Buffer; encrypted: boolean }
  /** It was answered, and the answer could not be kept. */
  | { kind: 'not-kept' }
  | { kind: 'other-body' }
  | { kind: 'in-progress' }

/** In place of the time of a request that failed. */
const reopened = sql.raw("timestamptz 'epoch'")
const keptFor = sql.raw("interval '24 hours'")

/** Of a row that was there before; the times of the new one are now. */
const isOver = sql`excluded.created_at - mine.created_at > ${keptFor}`

/** After `leaseMs` without a sign of life a request that left no answer is taken for crashed. */
export async function claim(
  database: Database,
  request: IdempotentRequest,
  leaseMs: number,
): Promise<Claim> {
  const { bodyHash } = request
  const isQuick = !isSpread(database)
  const taken = await claims({ ...request, leaseMs }, undefined, { isQuick }).execute(database)
  if (taken.rows[0] !== undefined) return { kind: 'run', reserved: taken.rows[0].reserved }

  const found = await database
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status', 'answer', 'encrypted'])
    .where(isOf(request))
    .executeTakeFirst()
  // The first request failed and let go just now.
  if (found === undefined) return { kind: 'in-progress' }
  if (!found.body_hash.equals(bodyHash)) return { kind: 'other-body' }
  const { status, answer, encrypted } = found
  if (status === null) return { kind: 'in-progress' }
  if (answer === null) return { kind: 'not-kept' }
  return { kind: 'replay', status, answer, encrypted }
}

const claims = statement(
  (
    given: Given<IdempotentRequest & { leaseMs: number }>,
    _home,
    { isQuick }: { isQuick: boolean },
  ) => sql<{
    reserved: string
  }>`
    insert into idempotency_keys as mine (account_id, key, route, body_hash, reserved)
    values (${given.accountId}, ${given.key}, ${given.route}, ${given.bodyHash}, ${given.reserved}::uuid)
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
             and (mine.body_hash = excluded.body_hash or mine.locked_at = ${reopened}))
    returning reserved ${isQuick ? sql`, ${quickCommit}` : sql``}`,
)

function isOf({
  accountId,
  key,
  route,
}: Record<keyof IdempotentKey, ValueOf<string>>): RawBuilder<boolean> {
  return sql`(account_id = ${accountId} and key = ${key} and route = ${route})`
}

/** A sign of life of a request that takes long. */
export async function keepClaim(database: Database, request: IdempotentRequest): Promise<void> {
  await sql`
    update idempotency_keys set locked_at = now()
    where ${isOf(request)} and status is null`.execute(database)
}

/** `isRepeatable`: should the answer be lost, a repeat answers the same, as after a crash of this process. */
export async function storeAnswer(
  database: Database,
  request: IdempotentRequest,
  { status, answer, encrypted }: StoredAnswer,
  isRepeatable: boolean,
): Promise<void> {
  const isQuick = isRepeatable && !isSpread(database)
  const { accountId, key, route } = request
  const values = { accountId, key, route, status, answer, encrypted }
  await answers(values, undefined, { isQuick }).execute(database)
}

const answers = statement(
  (
    { status, answer, encrypted, ...request }: Given<IdempotentKey & StoredAnswer>,
    _home,
    { isQuick }: { isQuick: boolean },
  ) => sql`
    update idempotency_keys
    set status = ${status}, answer = ${answer}, encrypted = ${encrypted}
    where ${isOf(request)} ${isQuick ? sql`returning ${quickCommit}` : sql``}`,
)

/** Forgets a request that changed nothing, so that it can be sent again. */
export async function letGo(database: Database, request: IdempotentRequest): Promise<void> {
  await sql`
    delete from idempotency_keys where ${isOf(request)} and status is null`.execute(database)
}

/**
 * A request failed and nobody knows what it has done, as when the database broke at its commit: it
 * can be sent again at once, and then makes what it may have made already under the same id.
 */
export async function reopen(database: Database, request: IdempotentRequest): Promise<void> {
  await sql`
    update idempotency_keys set locked_at = ${reopened}
    where ${isOf(request)} and status is null`.execute(database)
}

/** Deletes keys past their 24 hours, at most 1,000 at a time. Returns how many. */
export function pruneIdempotencyKeys(database: Database): Promise<number> {
  const isOld = sql`created_at < now() - ${keptFor}`
  return eachShard(database, sql`idempotency_keys where ${isOld}`, async (home) => {
    const query = sql`
      delete from idempotency_keys
      where (account_id, key, route) in (
        select account_id, key, route from idempotency_keys
        where ${isOld} limit 1000)
      returning 1 as one`
    return (await atHome(database, home, query)).length
  })
}
