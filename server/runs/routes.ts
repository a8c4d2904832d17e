import Type from 'typebox'
import { accepted, acceptedType, list, maySend, maySendAs, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { StringEnum } from '../wire-types.ts'
import { toPayload } from '../http/traffic/text-parts.ts'
import { countByStatus } from './count.ts'
import { cancelRun } from './cancel.ts'
import { compareRuns } from './compare.ts'
import { exportForms, sendRuns } from './export.ts'
import { forkRun, previewFork } from './fork.ts'
import { listRuns, listRunsOfWorkflow, listPending } from './list.ts'
import { respondToRun } from './respond.ts'
import { retrieveRun, WaitedRuns, writeRun } from './retrieve.ts'
import { retryRun } from './retry.ts'
import { streamOperations } from './stream-routes.ts'
import * as pendings from '../engine/wire/pending.ts'
import * as comparisons from '../engine/wire/comparison.ts'
import * as forks from '../engine/wire/fork.ts'
import * as schema from '../engine/wire/run.ts'
import { listedStatuses, runsQuery } from '../engine/wire/runs-query.ts'
import { countsQuery, RunCounts } from '../engine/wire/run-counts.ts'
import * as steps from '../engine/wire/step.ts'
import * as events from '../engine/wire/events.ts'
import { listTurns } from './list-turns.ts'
import { triggerRun } from './trigger.ts'

const wait = Type.Integer({
  minimum: 0,
  maximum: 60,
  description: 'Respond as soon as the run ends or waits, or after this many seconds.',
})

/** The routes of runs, with this process's open requests. */
export function runs(): Resource {
  const waited = new WaitedRuns()
  return {
    tag: 'Runs',
    about: 'Executions of workflows: trigger, follow, answer, cancel, retry.',
    ids: {
      workflows: 'Workflow id.',
      runs: 'Run id.',
      compare: 'Id of the other run.',
      steps: 'Position of the step in the crew, from 0.',
    },
    schemas: { ...steps, ...pendings, ...events, ...schema, RunCounts, ...forks, ...comparisons },
    operations: [
      operation({
        id: 'runs.create',
        route: 'POST /v1/workflows/:id/runs',
        cli: false,
        role: 'member',
        audit: 'run.triggered',
        action: 'trigger run',
        summary: 'Trigger a run',
        description:
          'The run is stored before the response; execution begins afterwards. If a budget of the account, workflow ' +
          'or tag refuses further calls and is used up, the response is 409 `budget_reached`.',
        query: {
          deltas: Type.Optional(
            Type.Boolean({
              description:
                "Announces that the run's events will be streamed with `deltas`, so that its first model call is streamed " +
                'too.',
            }),
          ),
        },
        body: schema.CreateRun,
        answer: accepted(schema.Run, 'The queued run.'),
        creates: 'run',
        verb: async ({ ctx, params, query, reservedId, body }) => {
          if (query.deltas === true)
            await ctx.feed.tokens.subscribe({ accountId: ctx.accountId, runId: reservedId })
          return triggerRun(ctx, params.id, reservedId, body)
        },
      }),
      operation({
        id: 'runs.list',
        route: 'GET /v1/workflows/:id/runs',
        cli: false,
        role: 'viewer',
        action: 'list runs',
        summary: 'List the runs of a workflow',
        description: 'Newest first, without steps; the 50 most recent by default.',
        query: {
          status: Type.Optional(
            StringEnum(listedStatuses, {
              description: 'Only runs in this status; `cancelled` ones are `failed` as well.',
            }),
          ),
        },
        answer: list(schema.Run, 'A page of runs.'),
        verb: ({ ctx, params, page, query }) =>
          listRunsOfWorkflow(ctx, params.id, { ...page, status: query.status }),
      }),
      operation({
        id: 'runs.list_all',
        route: 'GET /v1/runs',
        cli: {
          command: 'runs list',
          args: ['workflow_id?'],
          options: { error_code: 'error', q: 'find' },
          pairs: ['tag'],
          limit: 50,
        },
        role: 'viewer',
        action: 'list runs',
        summary: 'List the runs of the account',
        description:
          'Over all workflows, newest first, without steps; filters can be combined. As a file of up to ' +
          '10,000 rows with `Accept: text/csv` or `application/x-ndjson`.',
        query: runsQuery,
        answer: maySendAs(list(schema.Run, 'A page of runs.'), Object.keys(exportForms)),
        verb: async (call) => {
          const { ctx, page, query, request, reply } = call
          const types = Object.keys(exportForms) as (keyof typeof exportForms)[]
          const type = acceptedType(request, reply, types)
          if (type === undefined) return listRuns(ctx, page, query)
          const signal = request.server.held.hold(request, reply)
          await sendRuns(call, { type, page, query }, signal)
          return undefined
        },
      }),
      operation({
        id: 'runs.counts',
        route: 'GET /v1/runs/counts',
        cli: { command: 'runs counts', options: { q: 'find' }, pairs: ['tag'] },
        role: 'viewer',
        action: 'count runs',
        summary: 'Count the runs of each status',
        description:
          'Over all workflows, with the filters of the list. Each count ends at 1,000 and says whether there are more.',
        query: countsQuery,
        answer: ok(RunCounts, 'The counts.'),
        verb: ({ ctx, query }) => countByStatus(ctx, query),
      }),
      operation({
        id: 'runs.retrieve',
        route: 'GET /v1/runs/:id',
        role: 'viewer',
        action: 'retrieve run',
        summary: 'Retrieve a run with its steps',
        description:
          'With `wait`, the response comes as soon as the run rests or ends, or when the time is over.',
        query: { wait: Type.Optional(wait) },
        large: true,
        answer: maySend(ok(schema.RunWithSteps, 'The run.')),
        verb: async ({ ctx, params, query, request, reply }) => {
          const { wait: seconds = 0 } = query
          const make = () =>
            request.server.large.make(request, async () => {
              const data = await retrieveRun(ctx, params.id)
              return writeRun(reply, data)
            })
          const hold = () => ({ seconds, signal: request.server.held.hold(request, reply) })
          const text =
            seconds === 0 ? await make() : await waited.answer(ctx, params.id, hold(), make)
          void reply.type('application/json; charset=utf-8').send(toPayload(reply, text))
          return undefined
        },
      }),
      operation({
        id: 'runs.turns',
        route: 'GET /v1/runs/:id/steps/:order/turns',
        cli: false,
        role: 'viewer',
        action: 'list turns of step',
        summary: 'List the turns of a step',
        description:
          'The messages to and from the model, turn by turn, with the full results of its calls. Oldest first, 50 a ' +
          'page by default, and fewer if a page exceeds 4 MB.',
        answer: list(steps.Turn, 'A page of turns.'),
        verb: ({ ctx, params, page }) => listTurns(ctx, params, page),
      }),
      ...streamOperations,
      operation({
        id: 'runs.respond',
        route: 'POST /v1/runs/:id/respond',
        cli: false,
        role: 'approver',
        audit: 'run.responded',
        action: 'respond to run',
        summary: 'Answer a waiting request',
        description:
          'Answers a question or decides an approval: `approve` runs the action and the agent continues, `reject` ' +
          'skips it and tells the agent why. Only one answer counts; further ones get 409. Several calls of one ' +
          'turn are decided with `decisions`, together or one by one.',
        body: pendings.RespondToRun,
        answer: accepted(pendings.RespondedRun, 'The run continues.'),
        // The id of the answer's event, by which a repeated answer is recognized.
        creates: 'evt',
        verb: ({ ctx, params, reservedId, body }) => respondToRun(ctx, params.id, reservedId, body),
      }),
      operation({
        id: 'pending.list',
        route: 'GET /v1/pending',
        cli: { command: 'pending', limit: 50, options: { q: 'find' } },
        columns: [
          'run_id',
          'workflow_name as workflow',
          'pending.role as role',
          'pending.kind as kind',
          'pending.prompt as prompt',
          'pending.created_at as waiting since',
          'pending.expires_at as expires',
        ],
        role: 'viewer',
        action: 'list pending requests',
        summary: 'List waiting requests',
        description:
          'Every waiting request of the account, oldest first; 100 a page by default. Filters can be combined.',
        query: pendings.pendingQuery,
        answer: list(pendings.WaitingRun, 'A page of requests.'),
        verb: ({ ctx, page, query }) => listPending(ctx, page, query),
      }),
      operation({
        id: 'runs.cancel',
        route: 'POST /v1/runs/:id/cancel',
        role: 'member',
        audit: 'run.cancelled',
        action: 'cancel run',
        summary: 'Cancel a run',
        description: 'Ends an unfinished run; a finished one is returned unchanged.',
        answer: ok(schema.Run, 'The run.'),
        verb: ({ ctx, params }) => cancelRun(ctx, params.id),
      }),
      operation({
        id: 'runs.retry',
        route: 'POST /v1/runs/:id/retry',
        role: 'member',
        audit: 'run.retried',
        action: 'retry run',
        summary: 'Retry a failed run',
        description:
          "Creates a new run that keeps the finished steps and repeats the failed one, with the workflow's live " +
          'version, whatever version the failed run had.',
        answer: accepted(schema.Run, 'The new run.'),
        creates: 'run',
        verb: ({ ctx, params, reservedId }) => retryRun(ctx, params.id, reservedId),
      }),
      operation({
        id: 'runs.fork',
        route: 'POST /v1/runs/:id/fork',
        role: 'member',
        audit: 'run.forked',
        action: 'fork run',
        summary: 'Fork a run from a step',
        description:
          'Creates a new run that copies the steps before `from_step` of a run that has ended or waits, with the ' +
          'given `outputs` replaced, and executes the rest. The executed steps start from scratch: approvals are ' +
          'requested again, and an action is repeated only if an agent requests it again.',
        body: forks.ForkRun,
        answer: accepted(schema.Run, 'The new run.'),
        creates: 'run',
        verb: ({ ctx, params, reservedId, body }) => forkRun(ctx, params.id, reservedId, body),
      }),
      operation({
        id: 'runs.preview_fork',
        route: 'POST /v1/runs/:id/fork/preview',
        readOnly: true,
        cli: false,
        role: 'viewer',
        action: 'preview fork of run',
        summary: 'Preview a fork',
        description:
          'The steps that it would execute, and the actions that it may repeat. Nothing is started.',
        body: forks.ForkRun,
        answer: ok(forks.ForkPreview, 'The preview.'),
        verb: ({ ctx, params, body }) => previewFork(ctx, params.id, body),
      }),
      operation({
        id: 'runs.compare',
        route: 'GET /v1/runs/:id/compare/:other',
        columns: ['before', 'after', 'steps'],
        role: 'viewer',
        action: 'compare runs',
        summary: 'Compare two runs',
        description: 'Side by side: inputs and outputs word by word, tokens, cost, time and calls.',
        large: true,
        answer: ok(comparisons.RunComparison, 'Both runs.'),
        verb: ({ ctx, params, request }) =>
          request.server.large.make(request, () => compareRuns(ctx, params.id, params.other)),
      }),
    ],
  }
}
