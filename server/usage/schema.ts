import Type, { type Static, type TObject } from 'typebox'
import { Nullable, NullableText } from '../wire-types.ts'

const count = (description: string) => Type.Integer({ description })
const ofRuns = (description: string) =>
  Nullable(
    Type.Integer({
      description: `${description} Null by agent or model, because a run may have several.`,
    }),
  )
const duration = (which: string) =>
  Nullable(
    Type.Integer({
      description:
        `${which} duration in milliseconds, within 5 %: of finished runs, without waiting time; by agent or ` +
        'model, of the steps. Null without any.',
    }),
  )
const only = (group: string, what: string) => `Only when grouped by ${group}: ${what}.`

export const Usage = Type.Object(
  {
    day: Type.Optional(
      Type.String({ format: 'date', description: only('day', 'the day, in UTC') }),
    ),
    workflow: Type.Optional(Type.String({ description: only('workflow', 'its id') })),
    agent: Type.Optional(NullableText(only('agent', 'its id, null for steps without an agent'))),
    model: Type.Optional(Type.String({ description: only('model', 'its id') })),
    thread: Type.Optional(Type.String({ description: only('thread', 'its id') })),
    tag: Type.Optional(Type.String({ description: only('a tag', 'its value') })),
    name: Type.Optional(
      Nullable(
        Type.String({
          description: only(
            'workflow, agent or thread',
            'its name or title, null if it has none or was deleted',
          ),
        }),
      ),
    ),
    runs: ofRuns('Runs that ended.'),
    completed: ofRuns('Of these, completed.'),
    failed: ofRuns('Of these, failed.'),
    cancelled: ofRuns('Of these, cancelled.'),
    steps: count('Steps that ended, without those kept by a retry.'),
    tokens_in: count('Input tokens of these steps.'),
    tokens_out: count('Output tokens of these steps.'),
    cost_usd: Type.Number({ description: 'Cost of these steps in US dollars.' }),
    duration_p50_ms: duration('Median'),
    duration_p95_ms: duration('95th percentile of the'),
    calls_without_price: count(
      'Model calls of these steps with a model whose price is unknown; `cost_usd` counts them as 0.',
    ),
  },
  { $id: 'Usage', description: 'Usage of one day, workflow, agent, model, thread or tag.' },
)
export type Usage = Static<typeof Usage>

const day = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 30, description }))

export const usageQuery = {
  from: day('First day, in UTC, such as 2026-11-01; 29 days before the last one by default.'),
  to: day('Day after the last one, up to 400 days later; tomorrow by default.'),
  group_by: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description: '`day` (default), `workflow`, `agent`, `model`, `thread`, or `tag:` and a key.',
    }),
  ),
  workflow_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only runs of this workflow and their steps; only by day.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: 'Maximum rows of this page.' }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Cursor of the previous page, from its `Link` header.',
    }),
  ),
}
export type UsageQuery = Static<TObject<typeof usageQuery>>
