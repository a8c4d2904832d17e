import assert from 'node:assert/strict'
import { it } from 'node:test'
import type {
  AccountEvent,
  CreateWebhook,
  MusterError,
  Pending,
  RunEvent,
  Run,
  WebhookEvent,
} from './index.ts'

/** Compiled by `npm run types`, where a `ts-expect-error` without an error is one. */
it('events, requests and errors are told apart by their types, and a misspelt one does not compile', () => {
  const ofRun = (event: RunEvent): unknown => {
    // @ts-expect-error -- no such type
    if (event.type === 'run.completd') return undefined
    // @ts-expect-error -- only steps have tokens
    if (event.type === 'run.failed') return event.data.tokens_in
    if (event.type === 'run.waiting_input') return event.data.pending_id
    return event.type === 'step.completed' ? [event.data.role, event.data.tokens_in] : undefined
  }
  const ofAccount = (event: AccountEvent): unknown => {
    // @ts-expect-error -- no such type
    if (event.type === 'run.changd') return undefined
    return event.type === 'run.changed' ? event.status : event.pending_id
  }
  const ofRequest = (pending: NonNullable<Run['pending']>): string => {
    const same: Pending = pending
    // @ts-expect-error -- no such kind
    if (pending.kind === 'aproval') return ''
    // @ts-expect-error -- a question has no action
    if (pending.kind === 'input') return pending.tool
    if (pending.kind === 'budget') return `${pending.cost.limit_usd}`
    return `${pending.tool} ${JSON.stringify(pending.tool_input)} ${same.id}`
  }
  const ofFailure = (error: MusterError): boolean => {
    // @ts-expect-error -- no such code
    if (error.code === 'run_not_waitng') return false
    // @ts-expect-error -- no such type
    if (error.type === 'conflct') return false
    return error.code === 'run_not_waiting' || error.code === 'unreachable'
  }
  const ofWebhook = (event: WebhookEvent): unknown => {
    // @ts-expect-error -- no such type
    if (event.type === 'run.completd') return undefined
    if (event.type === 'batch.completed') return event.data.completed
    if (event.type === 'budget.threshold' || event.type === 'budget.reached')
      return event.data.budget.cap_usd
    if (event.type === 'thread.message') return event.data.answer?.text
    if (event.type === 'tool.requested') return event.data.input
    if (event.type === 'schedule.missed') return event.data.due_at
    return event.type === 'webhook.test' ? event.data.message : event.data.sequence
  }
  type Same<A, B> = [A, B] extends [B, A] ? true : false
  const isWhole: Same<
    Exclude<WebhookEvent['type'], 'webhook.test'>,
    CreateWebhook['events'][number]
  > = true
  for (const read of [ofRun, ofAccount, ofRequest, ofFailure, ofWebhook])
    assert.equal(typeof read, 'function')
  assert.ok(isWhole)
})
