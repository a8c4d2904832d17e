import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import type { SealedPlace } from '../secret-box.ts'
import { loginPlace, registrationPlace } from '../connectors/oauth/logins.ts'
import { connectorPlace } from '../connectors/secret.ts'
import { channelPlace } from '../sends/channels/secret.ts'
import { keyPlace } from '../account-models/store.ts'
import { answerPlace } from '../http/idempotency.ts'
import { addressPlace, secretPlace } from '../sources/hooks/secret.ts'
import { mailboxPlace } from '../sources/mailboxes/secret.ts'
import { webhookPlace } from '../sends/webhooks/delivery.ts'

/** SQL of the check value, and of all encrypted values for key rotation. */
export async function findCheck(database: Database): Promise<Buffer | undefined> {
  const { rows } = await sql<{ sealed: Buffer }>`select sealed from secret_check`.execute(database)
  return rows[0]?.sealed
}

/** Stores the check value unless there is one. */
export async function keepCheck(database: Database, sealed: Buffer): Promise<void> {
  await sql`insert into secret_check (sealed) values (${sealed}) on conflict do nothing`.execute(
    database,
  )
}

export async function replaceCheck(database: Database, sealed: Buffer): Promise<void> {
  await sql`
    insert into secret_check (sealed) values (${sealed})
    on conflict (is_only) do update set sealed = excluded.sealed`.execute(database)
}

/** A column with encrypted values, and the key of its table. */
interface SealedColumn {
  table: string
  column: string
  key: readonly string[]
  place: (key: string[]) => SealedPlace
  /** Column that says whether the row is encrypted; others are plain text. */
  flag?: string
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'connectors',
    column: 'secret',
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']) => connectorPlace(accountId, id),
  },
  {
    table: 'connectors',
    column: 'registration',
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']) => registrationPlace(accountId, id),
  },
  {
    table: 'connector_logins',
    column: 'secret',
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']) => loginPlace(accountId, id),
  },
  {
    table: 'channels',
    column: 'secret',
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']) => channelPlace(accountId, id),
  },
  {
    table: 'mailboxes',
    column: 'secret',
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']) => mailboxPlace(accountId, id),
  },
  {
    table: 'model_providers',
    column: 'api_key',
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']) => keyPlace(accountId, id),
  },
  {
    table: 'hooks',
    column: 'address_key',
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']) => addressPlace(accountId, id),
  },
  ...['secret', 'previous_secret'].map((column) => ({
    table: 'hooks',
    column,
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']: string[]) => secretPlace(accountId, id),
  })),
  ...['secret', 'previous_secret'].map((column) => ({
    table: 'webhook_endpoints',
    column,
    key: ['account_id', 'id'],
    place: ([accountId = '', id = '']: string[]) => webhookPlace(accountId, id),
  })),
  {
    table: 'idempotency_keys',
    column: 'answer',
    key: ['account_id', 'key', 'route'],
    place: ([accountId = '', key = '', route = '']) => answerPlace({ accountId, key, route }),
    flag: 'encrypted',
  },
]

export interface SealedRow {
  key: string[]
  sealed: Buffer
}

/** The next values that are encrypted with another key, in order. */
export async function readUnderOtherKeys(
  database: Database,
  { table, column, key, flag }: SealedColumn,
  keyId: string,
  after: string[] | undefined,
  limit: number,
): Promise<SealedRow[]> {
  const keys = sql.join(key.map((name) => sql.ref(name)))
  const { rows } = await sql<SealedRow>`
    select array[${keys}] as key, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where substr(${sql.ref(column)}, 2, 4) <> decode(${keyId}, 'hex')
      and ${flag === undefined ? sql`true` : sql.ref(flag)}
      and ${after === undefined ? sql`true` : sql`(${keys}) > (${sql.join(after)})`}
    order by ${keys} limit ${limit}`.execute(database)
  return rows
}

/** Replaces a value unless it was changed meanwhile. */
export async function replaceSealed(
  database: Database,
  { table, column, key }: SealedColumn,
  row: SealedRow,
  sealed: Buffer,
): Promise<void> {
  const isRow = key.map((name, place) => sql`${sql.ref(name)} = ${row.key[place]}`)
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
    where ${sql.join(isRow, sql` and `)} and ${sql.ref(column)} = ${row.sealed}`.execute(database)
}
