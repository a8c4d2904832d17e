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
  Nullable(Type.Integer({ minimum: 0, maximum, description: `${description} null: no limit.` }))
const usd = (description: string) =>
  Nullable(Type.Number({ minimum: 0, maximum: 1e6, description: `${description} null: no limit.` }))

const quotas = {
  max_runs_a_day: most(1e9, 'Runs that may be triggered or retried in a day (UTC).'),
  max_mails_a_day: most(
    1_000_000,
    'Emails that agents may send in a day (UTC). The stricter of this and the policy holds.',
  ),
  max_cost_usd_a_day: usd('What model calls may cost in a day (UTC), in USD.'),
  max_cost_usd_a_month: usd('What they may cost in a month (UTC), in USD.'),
  max_stored_bytes: most(
    1e15,
    'Bytes that may be stored before runs and uploads are refused. Measured every ten minutes, past half of them every minute.',
  ),
  max_file_bytes: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1e15,
      description: 'Bytes that its files may have together. null: as the service has it for all.',
    }),
  ),
} satisfies Record<string, TSchema>
export const quotaNames = Object.keys(quotas) as (keyof typeof quotas)[]

export const OperatedAccount = Type.Object(
  {
    id,
    name: Type.String({ description: 'Account name.' }),
    created_at: Timestamp('When the account was made.'),
    status: StringEnum(['active', 'suspended', 'deleting'] as const, {
      description: '`suspended`: keys answer 403, runs and webhooks rest. `deleting`: see DELETE.',
    }),
    suspended_at: NullableTimestamp('When it was suspended; null while it is not.'),
    suspension_reason: NullableText('Why, for operators.'),
    deleted_at: NullableTimestamp('When its deletion was asked for.'),
    ...quotas,
  },
  { $id: 'OperatedAccount', description: 'An account as the operator of the service sees it.' },
)
export type OperatedAccount = Static<typeof OperatedAccount>

export const AccountUse = Type.Object(
  {
    runs_today: Type.Integer({ description: 'Runs begun today (UTC).' }),
    mails_today: Type.Integer({ description: 'Emails that agents began to send today (UTC).' }),
    cost_usd_today: Type.Number({ description: 'Cost of model calls today (UTC), in USD.' }),
    cost_usd_this_month: Type.Number({ description: 'And in this month (UTC).' }),
    stored_bytes: Nullable(
      Type.Integer({ description: 'As last measured; null where there is no such quota.' }),
    ),
    stored_bytes_at: NullableTimestamp('When that was.'),
    held_until: NullableTimestamp('Until when runs rest because the cost quota is used up.'),
  },
  {
    $id: 'AccountUse',
    description:
      'What an account has used. Runs and cost are counted where it has a quota on them.',
  },
)
export type AccountUse = Static<typeof AccountUse>

export const CreateAccount = StrictObject(
  { name },
  { $id: 'CreateAccount', examples: [{ name: 'Acme' }], description: 'An account to make.' },
)
export const CreatedAccount = Type.Object(
  {
    id,
    name: Type.String({ description: 'Account name.' }),
    admin_key: Type.String({ description: 'Its first admin key, shown this one time.' }),
  },
  { $id: 'CreatedAccount', description: 'A new account.' },
)

export const UpdateAccount = StrictObject(optional({ name, ...quotas }), {
  $id: 'UpdateAccount',
  examples: [{ max_runs_a_day: 5000, max_cost_usd_a_month: 200 }],
  description: 'What to change.',
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
    description: 'What an operator did to an account. It outlives the account.',
  },
)
export type OperatorEntry = Static<typeof OperatorEntry>
