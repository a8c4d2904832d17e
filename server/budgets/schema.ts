import Type, { type Static } from 'typebox'
import {
  Name,
  Nullable,
  NullableText,
  optional,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../wire-types.ts'

const scopes = ['account', 'workflow', 'agent', 'tag'] as const
export const units = ['day', 'week', 'month'] as const
const reactions = ['hold', 'ask', 'refuse', 'fallback'] as const

const given = {
  name: Name(200, 'For people'),
  scope: StringEnum(scopes, { description: 'Which model calls count.' }),
  scope_value: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 241,
      description:
        'Id of the workflow or agent, or `key:value` of the tag; null for the whole account.',
    }),
  ),
  window: StringEnum(units, {
    description: 'Begins anew at midnight of the time zone; a week on Monday.',
  }),
  time_zone: Text(100, 'IANA name, such as Europe/Berlin; UTC by default.'),
  cap_usd: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: 'What the calls of a window may cost, in US dollars.',
  }),
  thresholds: Type.Array(
    Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'A share of the cap.' }),
    {
      maxItems: 10,
      description: 'Shares at which the event `budget.threshold` comes, once a window.',
    },
  ),
  on_cap: StringEnum(reactions, {
    description:
      '`hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it go on beyond the cap, ' +
      'up to a total cost of the run. `refuse`: the step fails, and once the cap is spent no run starts. `fallback`: the fallback models that are ' +
      'cheaper go on, beyond the cap; without any the run is held.',
  }),
}

const { name, scope, cap_usd, window } = given

export const CreateBudget = StrictObject(
  { ...optional(given), name, scope, window, cap_usd },
  {
    $id: 'CreateBudget',
    examples: [
      {
        name: 'All of November',
        scope: 'account',
        window: 'month',
        time_zone: 'Europe/Berlin',
        cap_usd: 200,
        thresholds: [0.5, 0.8],
        on_cap: 'hold',
      },
    ],
    description: 'A budget to set.',
  },
)
export type CreateBudget = Static<typeof CreateBudget>

const changeable = {
  name,
  cap_usd,
  thresholds: given.thresholds,
  on_cap: given.on_cap,
}

export const UpdateBudget = StrictObject(optional(changeable), {
  $id: 'UpdateBudget',
  examples: [{ cap_usd: 300 }],
  description: 'The fields to change.',
})
export type UpdateBudget = Static<typeof UpdateBudget>

export const Budget = Type.Object(
  {
    id: Type.String({ description: 'Budget id.' }),
    ...given,
    scope_name: NullableText('Name of the workflow or agent; null otherwise.'),
    starts_at: Timestamp('Beginning of the current window.'),
    ends_at: Timestamp('Its end, when the budget begins anew.'),
    spent_usd: Type.Number({ description: 'What its calls have cost.' }),
    reserved_usd: Type.Number({ description: 'Estimates of the calls in progress.' }),
    projected_usd: Type.Number({
      description: 'What it would be by the end, if the calls go on as they did in this window.',
    }),
    created_at: Timestamp('When it was set.'),
    updated_at: Timestamp('When it was last changed.'),
  },
  { $id: 'Budget', description: 'A bound for the cost of model calls.' },
)
export type Budget = Static<typeof Budget>
