import Type, { type Static } from 'typebox'
import { TagsOfRun, TagsToSet } from '../../engine/wire/tags.ts'
import {
  Nullable,
  NullableObject,
  NullableText,
  NullableTimestamp,
  optional,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../../wire-types.ts'
import { WorkflowWarnings } from '../../workflows/schema.ts'
import { startedFields, triggerFields, triggerInput } from '../../workflows/trigger-fields.ts'

const timing = {
  cron: Nullable(
    Type.String({
      maxLength: 200,
      description:
        'Five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`, or a word such as ' +
        '`@daily`. Setting one of ' +
        '`cron`, `every_seconds` and `at` replaces the other two.',
    }),
  ),
  time_zone: Text(
    64,
    'IANA time zone in which `cron` is read, such as `Europe/Berlin`; UTC by default.',
  ),
  every_seconds: Nullable(
    Type.Integer({
      minimum: 60,
      maximum: 31_536_000,
      description: 'Interval in seconds, counted from when it was set.',
    }),
  ),
  at: Nullable(Type.String({ format: 'date-time', description: 'One time, in the future.' })),
  ends_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'The last time at which it may fire; null for no end.',
    }),
  ),
  jitter_seconds: Type.Integer({
    minimum: 0,
    maximum: 3_600,
    description:
      'Spreads starts: each is delayed by up to this time, always equally for the same firing.',
  }),
}

const given = {
  ...triggerInput,
  ...timing,
  input: Nullable(
    Type.String({
      maxLength: 16_000,
      description:
        'Input of each run, a Liquid template: `{{ scheduled_at }}`, `{{ schedule.name }}`, `{{ last_run.output ' +
        '}}`. Required without `data`.',
    }),
  ),
  data: NullableObject('Data of each run; texts in it are Liquid templates like `input`.'),
  tags: TagsToSet,
  overlap: StringEnum(['skip', 'queue', 'cancel_previous', 'allow'] as const, {
    description:
      'What happens if the previous run is unfinished: the new one is skipped, waits for it, replaces it, or ' +
      'runs beside it.',
    default: 'skip',
  }),
  catch_up: StringEnum(['none', 'last', 'all'] as const, {
    description:
      'Which firings start late after a time without workers: none, the last one due, or all. The others are ' +
      '`missed`. A firing up to two minutes late starts in any case.',
    default: 'last',
  }),
  catch_up_seconds: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    description: 'How late a run may start; 3,600 by default.',
  }),
  pause_after_failures: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'Pauses the schedule after this many failed runs in a row; null means never.',
    }),
  ),
  key: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^\\S+$',
      description:
        'Your own unique identifier. Creating a schedule with an existing key updates that one, so a file can be ' +
        'applied again.',
    }),
  ),
}

const status = StringEnum(['active', 'paused'] as const, {
  description: 'A paused schedule does not fire; missed firings are not caught up.',
})

export const firingStatuses = ['due', 'fired', 'skipped', 'missed'] as const

export const Firing = Type.Object(
  {
    id: Type.String({ description: 'Firing id.' }),
    kind: StringEnum(['scheduled', 'manual', 'backfill'] as const, {
      description: 'Whether it was due, requested by a person, or part of a backfill.',
    }),
    due_at: Timestamp('When it was due; for a manual one, the time of the request.'),
    missed_until: NullableTimestamp(
      'Set if too many were missed to list each: all firings up to this time were missed too.',
    ),
    status: StringEnum(firingStatuses, {
      description:
        '`due`: starting, or waiting, see `why`. `fired`: it started a run. `skipped` and `missed`: it started none.',
    }),
    ...startedFields,
  },
  { $id: 'Firing', description: 'One firing of a schedule, with its outcome.' },
)
export type Firing = Static<typeof Firing>

const ownFields = {
  id: Type.String({ description: 'Schedule id.' }),
  key: NullableText('Your own unique identifier; null for none.'),
  ...triggerFields,
  cron: NullableText('Cron pattern of five fields.'),
  time_zone: Type.String({ description: 'IANA time zone in which `cron` is read.' }),
  every_seconds: Nullable(Type.Integer({ description: 'Interval in seconds.' })),
  at: NullableTimestamp('The one time.'),
  input: NullableText("Template of each run's input."),
  data: NullableObject('Data of each run, with templates.'),
  tags: TagsOfRun,
  overlap: given.overlap,
  catch_up: given.catch_up,
  catch_up_seconds: Type.Integer({ description: 'How late a run may start.' }),
  jitter_seconds: Type.Integer({ description: 'Each start is delayed by up to this time.' }),
  ends_at: NullableTimestamp('The last time at which it may fire.'),
  pause_after_failures: Nullable(
    Type.Integer({ description: 'Failed runs in a row that pause it; null means never.' }),
  ),
  status: StringEnum(['active', 'paused', 'ended'] as const, {
    description: '`ended`: it will not fire again.',
  }),
  paused_reason: NullableText('Why it was paused automatically; null otherwise.'),
  next_due_at: NullableTimestamp('When it is due next; null unless active.'),
  created_at: Timestamp('When it was created.'),
  updated_at: Timestamp('When it was last changed.'),
}

/** Fields that are stored in the API's form. */
export const scheduleColumns = Object.keys(ownFields)

const inWords = Type.String({
  description: 'When it fires, in English: "Every Monday at 09:00 (Europe/Berlin)".',
})

export const Schedule = Type.Object(
  {
    ...ownFields,
    in_words: inWords,
    warnings: WorkflowWarnings,
    last_firing: Type.Unsafe<Firing | null>({
      anyOf: [Ref(Firing), { type: 'null' }],
      description: 'The newest firing; null before the first.',
    }),
  },
  { $id: 'Schedule', description: 'A schedule that starts runs of a workflow at set times.' },
)
export type Schedule = Static<typeof Schedule>

const example = {
  name: 'Weekly report',
  workflow_id: 'wf_01ktbz3v9se0c9x1hm8q5gkxvn',
  cron: '0 9 * * 1',
  time_zone: 'Europe/Berlin',
  input: 'Report on the week that ended on {{ scheduled_at }}.',
}

export const CreateSchedule = StrictObject(
  { ...optional({ ...given, status }), workflow_id: given.workflow_id },
  { $id: 'CreateSchedule', examples: [example], description: 'The schedule to create.' },
)
export type CreateSchedule = Static<typeof CreateSchedule>

export const UpdateSchedule = StrictObject(optional({ ...given, status }), {
  $id: 'UpdateSchedule',
  examples: [{ status: 'paused' }],
  description: 'The fields to update.',
})
export type UpdateSchedule = Static<typeof UpdateSchedule>

export const PreviewSchedule = StrictObject(optional(timing), {
  $id: 'PreviewSchedule',
  examples: [{ cron: '0 9 * * 1', time_zone: 'Europe/Berlin' }],
  description: 'When a schedule would fire.',
})
export type PreviewSchedule = Static<typeof PreviewSchedule>

export const SchedulePreview = Type.Object(
  {
    in_words: inWords,
    due: Type.Array(Timestamp('A moment.'), {
      description: 'The next ten firings, or fewer if it ends.',
    }),
  },
  { $id: 'SchedulePreview', description: 'When a schedule is due next.' },
)
export type SchedulePreview = Static<typeof SchedulePreview>

export const BackfillSchedule = StrictObject(
  {
    from: Type.String({ format: 'date-time', description: 'The start of the period.' }),
    to: Type.String({
      format: 'date-time',
      description: 'The end of the period, not in the future.',
    }),
  },
  {
    $id: 'BackfillSchedule',
    examples: [{ from: '2026-11-16T00:00:00Z', to: '2026-11-17T00:00:00Z' }],
    description: 'The period to backfill.',
  },
)
export type BackfillSchedule = Static<typeof BackfillSchedule>

export const Backfill = Type.Object(
  {
    due: Type.Integer({ description: 'Firings that start now, one after the other.' }),
    already: Type.Integer({ description: 'Firings that already have a run or wait for one.' }),
  },
  { $id: 'Backfill', description: 'The result of a backfill.' },
)
export type Backfill = Static<typeof Backfill>
