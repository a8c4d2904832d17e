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

const scopes = ['account', 'workflow', 'agent', 'thread', 'tag'] as const
export const units = ['day', 'week', 'month'] as const
const reactions = ['hold', 'ask', 'refuse', 'fallback'] as const

const given = {
  name: Name(200, 'Display name'),
  scope: StringEnum(scopes, { description: 'Which model calls count towards the budget.' }),
  scope_value: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 241,
      description:
        'Id of the workflow, agent or thread, or `key:value` of the tag; null for the whole account.',
    }),
  ),
  window: StringEnum(units, {
    description: 'Resets at midnight in the time zone; a week begins on Monday.',
  }),
  time_zone: Text(100, 'IANA name, such as Europe/Berlin; UTC by default.'),
  cap_usd: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: 'Maximum cost of model calls in a window, in US dollars.',
  }),
  thresholds: Type.Array(
    Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'A share of the cap.' }),
    {
      maxItems: 10,
      description: 'Shares at which the event `budget.threshold` is sent, once per window.',
    },
  ),
  on_cap: StringEnum(reactions, {
    description:
      '`hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it continue beyond ' +
      'the cap, up to a total cost of the run. `refuse`: the step fails, and once it is reached no run ' +
      'starts. `fallback`: the run continues beyond the cap on cheaper fallback models; without any, it is ' +
      'held.',
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
    description: 'The budget to create.',
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
  description: 'The fields to update.',
})
export type UpdateBudget = Static<typeof UpdateBudget>

export const Budget = Type.Object(
  {
    id: Type.String({ description: 'Budget id.' }),
    ...given,
    scope_name: NullableText(
      'Name of the workflow or agent, or title of the thread; null otherwise.',
    ),
    starts_at: Timestamp('Beginning of the current window.'),
    ends_at: Timestamp('End of the current window.'),
    spent_usd: Type.Number({ description: 'Cost of its calls so far.' }),
    reserved_usd: Type.Number({ description: 'Estimated cost of calls in progress.' }),
    reached: Type.Boolean({
      description:
        'Whether it has had no room for a call in this window, apart from calls in progress. Raising the cap ends that.',
    }),
    projected_usd: Type.Number({
      description: 'Projected cost at the end of the window, at the current rate.',
    }),
    warnings: Type.Array(
      Type.Object(
        {
          code: StringEnum(['price_unknown'] as const, {
            description:
              '`price_unknown`: it covers models without a price, whose calls it does not count. More codes may be added.',
          }),
          message: Type.String({ description: 'The warning as text.' }),
        },
        { description: 'A warning.' },
      ),
      { description: 'Current warnings; usually empty.' },
    ),
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it was last changed.'),
  },
  { $id: 'Budget', description: 'A limit on the cost of model calls.' },
)
export type Budget = Static<typeof Budget>

/** A budget as its row has it, and as webhooks show it. */
export type StoredBudget = Omit<Budget, 'warnings'>
