import Type, { type Static, type TSchema } from 'typebox'
import {
  Name,
  Nullable,
  NullableObject,
  NullableText,
  NullableTimestamp,
  optional,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../wire-types.ts'

const id = Type.String({ description: 'Account id.' })
const name = Name(120, 'Account name')
const most = (maximum: number, description: string) =>
  Nullable(
    Type.Integer({ minimum: 0, maximum, description: `${description} null means no limit.` }),
  )
const usd = (description: string) =>
  Nullable(
    Type.Number({ minimum: 0, maximum: 1e6, description: `${description} null means no limit.` }),
  )

const quotas = {
  max_runs_a_day: most(1e9, 'Maximum runs triggered or retried per day (UTC).'),
  max_mails_a_day: most(
    1_000_000,
    'Maximum emails that agents may send per day (UTC). The stricter of this and the policy applies.',
  ),
  max_cost_usd_a_day: usd('Maximum cost of model calls per day (UTC), in USD.'),
  max_cost_usd_a_month: usd('Maximum cost of model calls per month (UTC), in USD.'),
  max_stored_bytes: most(
    1e15,
    'Maximum bytes stored before runs and uploads are refused. Measured every ten minutes, and every minute ' +
      'above half of it.',
  ),
  max_file_bytes: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1e15,
      description: "Maximum total size of its files in bytes. null uses the service's default.",
    }),
  ),
} satisfies Record<string, TSchema>
export const quotaNames = Object.keys(quotas) as (keyof typeof quotas)[]

export const OperatedAccount = Type.Object(
  {
    id,
    name: Type.String({ description: 'Account name.' }),
    created_at: Timestamp('When the account was created.'),
    status: StringEnum(['active', 'suspended', 'deleting'] as const, {
      description: '`suspended`: keys get 403, runs and webhooks are held. `deleting`: see DELETE.',
    }),
    suspended_at: NullableTimestamp('When it was suspended; null if it is not.'),
    suspension_reason: NullableText('Why, for operators.'),
    deleted_at: NullableTimestamp('When its deletion was requested.'),
    ...quotas,
  },
  { $id: 'OperatedAccount', description: 'An account as the operator of the service sees it.' },
)
export type OperatedAccount = Static<typeof OperatedAccount>

export const AccountUse = Type.Object(
  {
    runs_today: Type.Integer({ description: 'Runs begun today (UTC).' }),
    mails_today: Type.Integer({ description: 'Emails sent by agents today (UTC).' }),
    cost_usd_today: Type.Number({ description: 'Cost of model calls today (UTC), in USD.' }),
    cost_usd_this_month: Type.Number({
      description: 'Cost of model calls this month (UTC), in USD.',
    }),
    stored_bytes: Nullable(
      Type.Integer({
        description: 'Bytes stored at the last measurement; null without such a quota.',
      }),
    ),
    stored_bytes_at: NullableTimestamp('When they were measured.'),
    held_until: NullableTimestamp('Until when runs are held because the cost quota is used up.'),
  },
  {
    $id: 'AccountUse',
    description: "An account's usage. Runs and cost are counted only if it has a quota on them.",
  },
)
export type AccountUse = Static<typeof AccountUse>

export const CreateAccount = StrictObject(
  { name },
  { $id: 'CreateAccount', examples: [{ name: 'Acme' }], description: 'The account to create.' },
)
export const CreatedAccount = Type.Object(
  {
    id,
    name: Type.String({ description: 'Account name.' }),
    admin_key: Type.String({ description: 'Its first admin key, shown only once.' }),
  },
  { $id: 'CreatedAccount', description: 'A new account.' },
)

export const UpdateAccount = StrictObject(optional({ name, ...quotas }), {
  $id: 'UpdateAccount',
  examples: [{ max_runs_a_day: 5000, max_cost_usd_a_month: 200 }],
  description: 'The fields to update.',
})
export type UpdateAccount = Static<typeof UpdateAccount>

export const SuspendAccount = StrictObject(
  { reason: Type.Optional(Text(500, 'Why, for operators.')) },
  {
    $id: 'SuspendAccount',
    examples: [{ reason: 'Unpaid since March' }],
    description: 'Why it is suspended.',
  },
)

export const OperatorEntry = Type.Object(
  {
    id: Type.String({ description: 'Entry id.' }),
    created_at: Timestamp('When it was done.'),
    action: Type.String({ description: 'What was done, such as `account.suspended`.' }),
    object_id: id,
    before: NullableObject('The changed fields before.'),
    after: NullableObject('The same fields after.'),
    address: NullableText('Network address of the caller; null for the command line.'),
    request_id: NullableText('`X-Request-Id` of the request.'),
  },
  {
    $id: 'OperatorEntry',
    description: "An operator's action on an account. The entry outlives the account.",
  },
)
export type OperatorEntry = Static<typeof OperatorEntry>
