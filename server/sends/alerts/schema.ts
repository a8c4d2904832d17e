import Type, { type Static } from 'typebox'
import {
  Name,
  Nullable,
  NullableTimestamp,
  optional,
  StrictObject,
  StringEnum,
  Timestamp,
} from '../../wire-types.ts'

export const alertKinds = [
  'run.failed',
  'failure_rate',
  'waiting_too_long',
  'schedule.missed',
  'webhook.disabled',
  'connector.failing',
  'model.ending',
  'budget.threshold',
] as const

const ids = (what: string, description: string) =>
  Nullable(
    Type.Array(Type.String({ maxLength: 100, description: what }), {
      minItems: 1,
      maxItems: 100,
      description,
    }),
  )

const on = StringEnum(alertKinds, {
  description:
    '`run.failed`: a run failed; cancelled runs do not count. `failure_rate`: at least the share `threshold` ' +
    'of the runs that ended in the last `minutes` failed; needs at least five runs. `waiting_too_long`: a ' +
    'request has waited for `minutes`. `schedule.missed`: a schedule missed a firing. `webhook.disabled`: an ' +
    'endpoint was disabled. `connector.failing`: a connector, model provider or channel is failing. ' +
    "`model.ending`: a workflow's model shuts down within 90 days. `budget.threshold`: a budget reached one " +
    'of its thresholds or its cap.',
})

const given = {
  name: Name(100, 'Display name'),
  workflow_ids: ids(
    'A workflow id.',
    'Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`.',
  ),
  channel_ids: ids('A channel id.', 'Channels that send it; null means all active channels.'),
  minutes: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 10_080,
      description: 'For `failure_rate` and `waiting_too_long`; null means 60.',
    }),
  ),
  threshold: Nullable(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'For `failure_rate`: the share of failed runs; null means 0.5.',
    }),
  ),
  at_most_every_minutes: Type.Integer({
    minimum: 1,
    maximum: 10_080,
    description:
      'Minimum interval between messages; anything that happens in between is combined into the next one. 60 by ' +
      'default.',
  }),
  active: Type.Boolean({ description: 'An inactive alert sends nothing.' }),
}

export const Alert = Type.Object(
  {
    id: Type.String({ description: 'Alert id.' }),
    on,
    ...given,
    last_fired_at: NullableTimestamp('When it was last sent.'),
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it was last changed.'),
  },
  { $id: 'Alert', description: 'A message that channels send when something goes wrong.' },
)
export type Alert = Static<typeof Alert>

export const CreateAlert = StrictObject(
  { ...optional(given), name: given.name, on },
  {
    $id: 'CreateAlert',
    examples: [{ name: 'Failed runs', on: 'run.failed', at_most_every_minutes: 30 }],
    description: 'The alert to create. It covers events from now on.',
  },
)
export type CreateAlert = Static<typeof CreateAlert>

export const UpdateAlert = StrictObject(optional(given), {
  $id: 'UpdateAlert',
  examples: [{ active: false }],
  description: 'The fields to update.',
})
export type UpdateAlert = Static<typeof UpdateAlert>
