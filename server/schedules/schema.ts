import Type, { type Static } from 'typebox'
import { TagsOfRun, TagsToSet } from '../engine/wire/tags.ts'
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
} from '../wire-types.ts'
import { startedFields, triggerFields, triggerInput } from '../workflows/trigger-fields.ts'

const timing = {
  cron: Nullable(
    Type.String({
      maxLength: 200,
      description:
        'Five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`. ' +
        'Giving one of `cron`, `every_seconds` and `at` replaces the other two.',
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
  at: Nullable(Type.String({ format: 'date-time', description: 'One moment, in the future.' })),
  ends_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'The last moment at which it may fire; null for no end.',
    }),
  ),
  jitter_seconds: Type.Integer({
    minimum: 0,
    maximum: 3_600,
    description:
      'Spreads starts: each is delayed by up to this time, by the same for the same moment.',
  }),
}

const given = {
  ...triggerInput,
  ...timing,
  input: Nullable(
    Type.String({
      maxLength: 16_000,
      description:
        'Text of each run, a Liquid template: `{{ scheduled_at }}`, `{{ schedule.name }}`, ' +
        '`{{ last_run.output }}`. Required where there is no `data`.',
    }),
  ),
  data: NullableObject('Data of each run; texts in it are Liquid templates, as `input` is.'),
  tags: TagsToSet,
  overlap: StringEnum(['skip', 'queue', 'cancel_previous', 'allow'] as const, {
    description:
      'What happens if the run before is not finished: the new one is skipped, waits for it, ' +
      'replaces it, or runs beside it.',
    default: 'skip',
  }),
  catch_up: StringEnum(['none', 'last', 'all'] as const, {
    description:
      'What starts late, after a time without workers: nothing, the last of the moments that were due, or each. ' +
      'The others are `missed`.',
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
      description:
        'Pauses the schedule when this many of its runs failed in a row; null for never.',
    }),
  ),
  key: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^\\S+$',
      description:
        'Your own unique name. Creating a schedule whose key exists changes that one, so a file can be applied again.',
    }),
  ),
}

const status = StringEnum(['active', 'paused'] as const, {
  description: 'A paused schedule fires nothing; what was due meanwhile is not made up for.',
})

export const firingStatuses = ['due', 'fired', 'skipped', 'missed'] as const

export const Firing = Type.Object(
  {
    id: Type.String({ description: 'Firing id.' }),
    kind: StringEnum(['scheduled', 'manual', 'backfill'] as const, {
      description: 'Whether its time came, a person asked for it, or it was made up for.',
    }),
    due_at: Timestamp('The moment at which it was due; that of the request for one by hand.'),
    missed_until: NullableTimestamp(
      'Set where too many were missed to list each: all moments up to this one were missed too.',
    ),
    status: StringEnum(firingStatuses, {
      description: '`due` starts or waits, `fired` made a run, `skipped` and `missed` made none.',
    }),
    ...startedFields,
  },
  { $id: 'Firing', description: 'What became of one moment at which a schedule was due.' },
)
export type Firing = Static<typeof Firing>

const ownFields = {
  id: Type.String({ description: 'Schedule id.' }),
  key: NullableText('Your own unique name; null for none.'),
  ...triggerFields,
  cron: NullableText('Cron pattern of five fields.'),
  time_zone: Type.String({ description: 'IANA time zone in which `cron` is read.' }),
  every_seconds: Nullable(Type.Integer({ description: 'Interval in seconds.' })),
  at: NullableTimestamp('The one moment.'),
  input: NullableText('Template of the text of each run.'),
  data: NullableObject('Data of each run, with templates.'),
  tags: TagsOfRun,
  overlap: given.overlap,
  catch_up: given.catch_up,
  catch_up_seconds: Type.Integer({ description: 'How late a run may start.' }),
  jitter_seconds: Type.Integer({ description: 'Each start is delayed by up to this time.' }),
  ends_at: NullableTimestamp('The last moment at which it may fire.'),
  pause_after_failures: Nullable(
    Type.Integer({ description: 'Failed runs in a row that pause it; null for never.' }),
  ),
  status: StringEnum(['active', 'paused', 'ended'] as const, {
    description: '`ended`: no further moment is due.',
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
    last_firing: Type.Unsafe<Firing | null>({
      anyOf: [Ref(Firing), { type: 'null' }],
      description: 'The newest firing; null before the first.',
    }),
  },
  { $id: 'Schedule', description: 'Starts runs of a workflow by the clock.' },
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
  { $id: 'CreateSchedule', examples: [example], description: 'A schedule to make.' },
)
export type CreateSchedule = Static<typeof CreateSchedule>

export const UpdateSchedule = StrictObject(optional({ ...given, status }), {
  $id: 'UpdateSchedule',
  examples: [{ status: 'paused' }],
  description: 'The fields to change.',
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
      description: 'The coming ten moments, or fewer where it ends.',
    }),
  },
  { $id: 'SchedulePreview', description: 'When a schedule is due next.' },
)
export type SchedulePreview = Static<typeof SchedulePreview>

export const BackfillSchedule = StrictObject(
  {
    from: Type.String({ format: 'date-time', description: 'The first moment that may count.' }),
    to: Type.String({ format: 'date-time', description: 'The last one, not in the future.' }),
  },
  {
    $id: 'BackfillSchedule',
    examples: [{ from: '2026-11-16T00:00:00Z', to: '2026-11-17T00:00:00Z' }],
    description: 'The time to make up for.',
  },
)
export type BackfillSchedule = Static<typeof BackfillSchedule>

export const Backfill = Type.Object(
  {
    due: Type.Integer({ description: 'Firings that start now, one after the other.' }),
    already: Type.Integer({ description: 'Moments that have a run, or wait for one, already.' }),
  },
  { $id: 'Backfill', description: 'What a backfill starts.' },
)
export type Backfill = Static<typeof Backfill>
