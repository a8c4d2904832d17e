import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import type { Policies } from './schema.ts'

/** All SQL of policies. */
const columns = sql.raw(
  'approvals_floor, four_eyes, require_pending_id, web_fetch_hosts, sensitive_actions, mails_a_day, updated_at',
)

export async function findPolicies(
  database: Database | Transaction,
  accountId: string,
): Promise<Policies | undefined> {
  const { rows } = await sql<Policies>`
    select ${columns} from policies where account_id = ${accountId}`.execute(database)
  return rows[0]
}

export async function putPolicies(
  transaction: Transaction,
  accountId: string,
  policies: Policies,
): Promise<Policies> {
  const { rows } = await sql<Policies>`
    insert into policies (account_id, approvals_floor, four_eyes, require_pending_id,
                          web_fetch_hosts, sensitive_actions, mails_a_day)
    values (${accountId}, ${policies.approvals_floor}, ${policies.four_eyes},
            ${policies.require_pending_id}, ${policies.web_fetch_hosts}::text[],
            ${policies.sensitive_actions}::text[], ${policies.mails_a_day})
    on conflict (account_id) do update
    set approvals_floor = excluded.approvals_floor, four_eyes = excluded.four_eyes,
        require_pending_id = excluded.require_pending_id,
        web_fetch_hosts = excluded.web_fetch_hosts,
        sensitive_actions = excluded.sensitive_actions, mails_a_day = excluded.mails_a_day,
        updated_at = excluded.updated_at
    returning ${columns}`.execute(transaction)
  return rows[0] as Policies
}
