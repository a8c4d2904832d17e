import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { Policies } from './schema.ts'

/** All SQL of policies. */
const columns = Object.keys(Policies.properties) as (keyof Policies)[]

export async function findPolicies(
  database: Database | Transaction,
  accountId: string,
): Promise<Policies | undefined> {
  const row = await database
    .selectFrom('policies')
    .select(columns)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row as Policies | undefined
}

export async function putPolicies(
  transaction: Transaction,
  accountId: string,
  policies: Policies,
): Promise<Policies> {
  const { updated_at: _, ...others } = policies
  const fields = { ...others, rules: JSON.stringify(policies.rules) }
  const updated = { ...fields, updated_at: sql<Date>`excluded.updated_at` }
  const row = await transaction
    .insertInto('policies')
    .values({ account_id: accountId, ...fields })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(updated))
    .returning(columns)
    .executeTakeFirstOrThrow()
  return row as Policies
}
