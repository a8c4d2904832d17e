import Type from 'typebox'
import { accepted, created, deleted, list, ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { StringEnum } from '../../wire-types.ts'
import * as byHand from './by-hand.ts'
import * as verbs from './schedules.ts'
import * as schema from './schema.ts'

const firingStatus = StringEnum(schema.firingStatuses, {
  description: 'Only firings in this status.',
})

export const schedules: Resource = {
  tag: 'Schedules',
  about: 'Schedules that start runs, and their firings.',
  ids: { schedules: 'Schedule id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'schedules.create',
      route: 'POST /v1/schedules',
      role: 'member',
      audit: 'schedule.created',
      action: 'create schedule',
      summary: 'Create a schedule',
      description:
        'Needs one of `cron`, `every_seconds` and `at`. With the `key` of an existing schedule, that one is ' +
        'updated instead, and omitted fields get their defaults. An account has up to 1,000.',
      body: schema.CreateSchedule,
      answer: created(schema.Schedule, 'The schedule.'),
      creates: 'sch',
      verb: ({ ctx, reservedId, body }) => verbs.createSchedule(ctx, reservedId, body),
    }),
    operation({
      id: 'schedules.list',
      route: 'GET /v1/schedules',
      columns: ['id', 'name', 'status', 'in_words', 'next_due_at', 'last_firing.status as last'],
      role: 'viewer',
      action: 'list schedules',
      summary: 'List schedules',
      description: 'All of the account, newest first.',
      query: {
        workflow_id: Type.Optional(
          Type.String({ maxLength: 100, description: 'Only for this workflow.' }),
        ),
        status: Type.Optional(
          StringEnum(['active', 'paused', 'ended'] as const, {
            description: 'Only with this status.',
          }),
        ),
      },
      answer: list(schema.Schedule, 'The schedules.'),
      verb: ({ ctx, page, query }) => verbs.listSchedules(ctx, page, query),
    }),
    operation({
      id: 'schedules.retrieve',
      route: 'GET /v1/schedules/:id',
      role: 'viewer',
      action: 'retrieve schedule',
      summary: 'Retrieve a schedule',
      description: 'Its timing in words, its next time and its last firing.',
      answer: ok(schema.Schedule, 'The schedule.'),
      verb: ({ ctx, params }) => verbs.retrieveSchedule(ctx, params.id),
    }),
    operation({
      id: 'schedules.update',
      route: 'PATCH /v1/schedules/:id',
      cli: {
        verbs: {
          pause: [{ status: 'paused' }, 'Pause a schedule'],
          resume: [{ status: 'active' }, 'Resume a schedule; missed firings are not caught up'],
        },
      },
      role: 'member',
      audit: 'schedule.updated',
      action: 'update schedule',
      summary: 'Update a schedule',
      description:
        'Changes the given fields. One of `cron`, `every_seconds` and `at` replaces the others. The schedule next ' +
        'fires at its next regular time; missed firings are not caught up.',
      body: schema.UpdateSchedule,
      answer: ok(schema.Schedule, 'The changed schedule.'),
      verb: ({ ctx, params, body }) => verbs.updateSchedule(ctx, params.id, body),
    }),
    operation({
      id: 'schedules.delete',
      route: 'DELETE /v1/schedules/:id',
      role: 'member',
      audit: 'schedule.deleted',
      action: 'delete schedule',
      summary: 'Delete a schedule',
      description: 'Deletes its firings too; its runs are kept.',
      answer: deleted('The schedule is deleted.'),
      verb: ({ ctx, params }) => verbs.deleteSchedule(ctx, params.id),
    }),
    operation({
      id: 'schedules.firings',
      route: 'GET /v1/schedules/:id/firings',
      columns: [
        'due_at',
        'kind',
        'status',
        'run_id',
        'run_status',
        'run_has_warnings as warnings',
        'why',
      ],
      cli: { limit: 50 },
      role: 'viewer',
      action: 'list firings',
      summary: 'List the firings of a schedule',
      description:
        'Firings with their outcome, newest first; 50 by default. The newest 1,000 are kept.',
      query: { status: Type.Optional(firingStatus) },
      answer: list(schema.Firing, 'A page of firings.'),
      verb: ({ ctx, params, page, query }) =>
        byHand.listFirings(ctx, params.id, page, query.status),
    }),
    operation({
      id: 'schedules.preview',
      route: 'POST /v1/schedules/:id/preview',
      role: 'viewer',
      readOnly: true,
      action: 'preview schedule',
      summary: 'Preview a schedule',
      description: 'The next ten firings.',
      answer: ok(schema.SchedulePreview, 'The next firings.'),
      verb: ({ ctx, params }) => byHand.previewSchedule(ctx, params.id),
    }),
    operation({
      id: 'schedules.preview_new',
      route: 'POST /v1/schedules/preview',
      cli: { command: 'schedules next' },
      role: 'viewer',
      readOnly: true,
      action: 'preview schedule',
      summary: 'Preview an unsaved schedule',
      description: 'The next ten firings of the given schedule.',
      body: schema.PreviewSchedule,
      answer: ok(schema.SchedulePreview, 'The next firings.'),
      verb: ({ ctx, body }) => byHand.previewTiming(ctx, body),
    }),
    operation({
      id: 'schedules.trigger',
      route: 'POST /v1/schedules/:id/trigger',
      role: 'member',
      audit: 'schedule.triggered',
      action: 'fire schedule',
      summary: 'Fire a schedule now',
      description:
        'Starts one run, even if the schedule is paused or a previous run is unfinished.',
      answer: created(schema.Firing, 'The firing with its run.'),
      creates: 'run',
      verb: ({ ctx, params, reservedId }) => byHand.triggerSchedule(ctx, params.id, reservedId),
    }),
    operation({
      id: 'schedules.backfill',
      route: 'POST /v1/schedules/:id/backfill',
      role: 'member',
      audit: 'schedule.backfilled',
      action: 'backfill schedule',
      summary: 'Backfill a past period',
      description:
        'Starts each firing between `from` and `to` that has no run, up to 100, one after the other unless ' +
        '`overlap` is `allow`.',
      body: schema.BackfillSchedule,
      answer: accepted(schema.Backfill, 'What starts.'),
      verb: ({ ctx, params, body }) => byHand.backfillSchedule(ctx, params.id, body),
    }),
  ],
}
