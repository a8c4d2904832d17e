import Type, { type Static } from 'typebox'
import {
  Name,
  Nullable,
  NullableTimestamp,
  optional,
  StrictObject,
  StringEnum,
  Timestamp,
} from '../wire-types.ts'

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
    '`run.failed`: a run failed, cancelled ones apart. `failure_rate`: of the runs that ended in the last `minutes`, at ' +
    'least five, the share `threshold` failed. `waiting_too_long`: a request has waited for `minutes`. ' +
    '`schedule.missed`: a moment of a schedule was missed. `webhook.disabled`: an endpoint was disabled. ' +
    '`connector.failing`: a connector, model provider or channel fails. `model.ending`: a model of a workflow ends within 90 days. ' +
    '`budget.threshold`: a budget has reached one of its thresholds, or its cap.',
})

const given = {
  name: Name(100, 'Label for people'),
  workflow_ids: ids(
    'A workflow id.',
    'Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`.',
  ),
  channel_ids: ids('A channel id.', 'Channels that tell it; null means every active channel.'),
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
      'Pause after each message; what happens meanwhile is told together in the next one. 60 by default.',
  }),
  active: Type.Boolean({ description: 'An inactive alert tells nothing.' }),
}

export const Alert = Type.Object(
  {
    id: Type.String({ description: 'Alert id.' }),
    on,
    ...given,
    last_fired_at: NullableTimestamp('When it was told last.'),
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it was last changed.'),
  },
  { $id: 'Alert', description: 'What channels tell when something goes wrong.' },
)
export type Alert = Static<typeof Alert>

export const CreateAlert = StrictObject(
  { ...optional(given), name: given.name, on },
  {
    $id: 'CreateAlert',
    examples: [{ name: 'Failed runs', on: 'run.failed', at_most_every_minutes: 30 }],
    description: 'An alert to create. It tells what happens from now on.',
  },
)
export type CreateAlert = Static<typeof CreateAlert>

export const UpdateAlert = StrictObject(optional(given), {
  $id: 'UpdateAlert',
  examples: [{ active: false }],
  description: 'The fields to change.',
})
export type UpdateAlert = Static<typeof UpdateAlert>
