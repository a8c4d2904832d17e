import { list, listInMemory, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { claimCalls, extendClaim } from './claim.ts'
import { listCalls, listWorkers, retrieveCall } from './read.ts'
import { reportResult } from './report.ts'
import * as schema from './schema.ts'

/** Room for an output of 1 MB with characters that JSON escapes. */
const reportBodyLimit = 2 * 1024 * 1024

export const toolCalls: Resource = {
  tag: 'Tool calls',
  about:
    "Calls of callers' tools: an agent has `tools`, and a process of your own claims their calls, executes them and " +
    'reports the results. It needs no open port.',
  ids: { 'tool-calls': 'Tool call id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'tool_calls.claim',
      route: 'POST /v1/tool-calls/claim',
      cli: false,
      role: 'member',
      forWorkers: true,
      audit: 'tool_call.claimed',
      action: 'claim tool calls',
      summary: 'Claim calls',
      description:
        'Gives the oldest open calls to the caller, for whom they are reserved until their leases end. A call whose ' +
        'lease ends is given out again if it is not `sensitive`; otherwise its outcome is `unknown`, and a person ' +
        'decides.',
      body: schema.ClaimCalls,
      answer: ok(schema.ClaimedCalls, 'The claimed calls.'),
      verb: ({ ctx, services, body, request, reply }) =>
        claimCalls(ctx, services.waitingClaims, body, () =>
          request.server.held.hold(request, reply, services.limits.waitingClaims),
        ),
    }),
    operation({
      id: 'tool_calls.heartbeat',
      route: 'POST /v1/tool-calls/:id/heartbeat',
      cli: false,
      role: 'member',
      forWorkers: true,
      readOnly: true,
      action: 'extend claim',
      summary: 'Extend a claim',
      description:
        'Holds the call for longer, from now on; 409 `lease_lost` if the lease has ended.',
      body: schema.ExtendClaim,
      answer: ok(schema.RequestedCall, 'The call.'),
      verb: ({ ctx, params, body }) => extendClaim(ctx, params.id, body),
    }),
    operation({
      id: 'tool_calls.result',
      route: 'POST /v1/tool-calls/:id/result',
      cli: false,
      role: 'member',
      forWorkers: true,
      audit: 'tool_call.answered',
      action: 'report result',
      summary: 'Report the result of a call',
      description:
        'The first result counts, with a lease or without one, while the call has none and its time is not over. The ' +
        'same result again is answered with 200; another with 409 `tool_call_answered`. After its time the response ' +
        'is 409 `tool_call_expired`, and `tool_call_cancelled` if the run has ended.',
      body: schema.ReportResult,
      answer: ok(schema.RequestedCall, 'The call.'),
      routeOptions: { bodyLimit: reportBodyLimit },
      verb: ({ ctx, params, body }) => reportResult(ctx, params.id, body),
    }),
    operation({
      id: 'tool_calls.list',
      route: 'GET /v1/tool-calls',
      cli: { command: 'tools calls', limit: 50 },
      columns: ['id', 'name', 'status', 'try', 'run_id', 'requested_at', 'expires_at'],
      role: 'viewer',
      forWorkers: true,
      action: 'list tool calls',
      summary: "List calls of callers' tools",
      description: 'Newest first; 50 by default.',
      query: schema.callsQuery,
      answer: list(schema.RequestedCall, 'A page of calls.'),
      verb: ({ ctx, page, query }) => listCalls(ctx, page, query),
    }),
    operation({
      id: 'tool_calls.retrieve',
      route: 'GET /v1/tool-calls/:id',
      cli: { command: 'tools call' },
      role: 'viewer',
      forWorkers: true,
      action: 'retrieve tool call',
      summary: 'Retrieve a call',
      description: 'With its arguments and, once it is known, its outcome; never with its lease.',
      answer: ok(schema.RequestedCall, 'The call.'),
      verb: ({ ctx, params }) => retrieveCall(ctx, params.id),
    }),
    operation({
      id: 'tool_workers.list',
      route: 'GET /v1/tool-workers',
      cli: { command: 'tools workers' },
      columns: ['key', 'names', 'address', 'since', 'last_seen_at'],
      role: 'viewer',
      action: 'list tool workers',
      summary: "List who executes callers' tools",
      description: 'Who asked for calls in the last day, the most recent first.',
      answer: listInMemory(schema.ToolWorker, 'The workers.'),
      verb: ({ ctx }) => listWorkers(ctx),
    }),
  ],
}
