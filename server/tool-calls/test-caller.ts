import assert from 'node:assert/strict'
import { untilFound } from '../../rig/until.ts'
import { fixture } from '../../test/fixture.ts'
import { actOnce, type ToolCall } from '../../test/clerk.ts'
import type { Answer } from '../../test/api-client.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../test/test-app.ts'

/** A service whose agents have tools of the caller. */
export interface CallerAtWork {
  app: TestApp
  /** Starts a run whose agent makes these calls in its first turn, and repeats their results. */
  start: (calls: ToolCall[], hitl?: object) => Promise<string>
  claim: (body?: object, key?: string) => Promise<Answer['body'][]>
  /** Claims one call, which must come. */
  claimOne: (body?: object) => Promise<Answer['body']>
  report: (id: string, body: object) => Promise<Answer>
  callOf: (runId: string) => Promise<Answer['body']>
  /** Ends the leases of all claims, as if their time had passed. */
  endLeases: () => Promise<void>
}

const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const lookup = {
  name: 'lookup_order',
  description: 'Finds an order.',
  input_schema: object({ order: { type: 'string', pattern: '^[A-Z]+-[0-9]+$' } }, ['order']),
  sensitive: false,
}
export const refund = {
  name: 'refund',
  description: 'Pays money back.',
  input_schema: object({ usd: { type: 'number' } }, ['usd']),
  timeout_seconds: 600,
}

export const callLookup = (order = 'A-1', id = 'l'): ToolCall => ({
  id,
  name: 'app__lookup_order',
  arguments: { order },
})
export const callRefund = (usd = 5, id = 'r'): ToolCall => ({
  id,
  name: 'app__refund',
  arguments: { usd },
})

/** Actions are never asked about, unless a test says so. */
export function callerFixture(options: TestAppOptions = {}): CallerAtWork {
  const app = fixture(() => startTestApp({ intervals: { requestsMs: 50 }, ...options }))
  const claim: CallerAtWork['claim'] = (body = {}, key) =>
    app.post('/v1/tool-calls/claim', body, key)
  return {
    app,
    start: async (calls, hitl = { approvals: 'never' }) => {
      app.answer = actOnce(...calls)
      const crew = [{ role: 'clerk', systemPrompt: 'act', tools: [lookup, refund] }]
      return app.trigger(await app.createWorkflow({ crew, human_in_the_loop: hitl }))
    },
    claim,
    claimOne: async (body = {}) => {
      const [call, ...others] = await claim({ wait_seconds: 20, ...body })
      assert.ok(call !== undefined && others.length === 0)
      return call
    },
    report: (id, body) => app.call('POST', `/v1/tool-calls/${id}/result`, { body }),
    callOf: (runId) =>
      untilFound('its call is requested', 20_000, async () => {
        return (await app.get(`/v1/tool-calls?run_id=${runId}`))[0]
      }),
    endLeases: async () => {
      await app.sql`
        update requested_calls
        set due_at = now() - interval '1 second', lease_expires_at = now() - interval '1 second'
        where status = 'claimed'`
    },
  }
}
