import { peopleOf } from '../../accounts/authors.ts'
import { backgroundContext, forResource } from '../../accounts/background-context.ts'
import type { Services } from '../../context.ts'
import { readRunStates, type RunState } from '../../engine/reads/run-figures.ts'
import { newId } from '../../ids.ts'
import { cancelRun } from '../../runs/cancel.ts'
import { startRun } from '../../runs/start.ts'
import { publishEvent } from '../../sends/webhooks/deliveries.ts'
import { attempt, done, type Attempted, type Outcome } from '../../work/outcome.ts'
import { settleRows } from '../../work/table.ts'
import { toPassSettlements, type Work } from '../../work/worker.ts'
import { maxItems } from './limits.ts'
import * as itemStore from './item-store.ts'
import * as store from './store.ts'
import type { ItemChange, StoredItem } from './item-store.ts'
import type { DueBatch } from './store.ts'

/**
 * Batches as work. One pass over a batch records the runs that ended, starts as many items as its concurrency allows, and
 * ends the batch after its last item. Runs that wait for a person do not count against the concurrency. The id of an
 * item's run is reserved with the item, so a process that dies between the run and its record starts no second one. An
 * item whose start fails waits by itself, and those behind it start.
 */
export function batchWork(services: Services, everyMs: number): Work<DueBatch> {
  const { database } = services
  return {
    what: 'a pass over a batch',
    table: store.batches,
    atOnce: 20,
    perAccount: 10,
    everyMs,
    run: (batch) => advance(services, batch),
    settle: (settled) =>
      settleRows(database, store.batches, toPassSettlements(settled, pauses.held)),
  }
}

/** Seconds between two passes. */
const pauses = { moving: 0.2, waiting: 2, held: 5 }

/** Bounds of one pass. */
const startsAtOnce = 100
const cancelsAtOnce = 100

async function advance(services: Services, batch: DueBatch): Promise<Outcome> {
  const { database } = services
  const { accountId, concurrency } = batch
  const open = await itemStore.readItems(database, batch, ['running', 'waiting'], maxItems)
  const states = await readRunStates(
    database,
    accountId,
    open.map((item) => item.run_id),
  )
  const looks = open.map((item) => ({ item, change: changeOf(item, states.get(item.run_id)) }))
  const changes = looks.flatMap(({ change }) => change ?? [])
  if (batch.status === 'cancelling') {
    const isOpen = looks.filter(({ item, change }) => isUnderWay((change ?? item).status))
    await cancelRuns(services, batch, isOpen.slice(0, cancelsAtOnce))
    return record(services, batch, { changes, held: null })
  }
  const running = looks.filter(({ item, change }) => (change ?? item).status === 'running')
  const room = Math.min(concurrency - running.length, startsAtOnce)
  const items = room <= 0 ? [] : await itemStore.readItems(database, batch, ['queued'], room)
  const outcomes = await Promise.all(items.map((item) => start(services, batch, item)))
  outcomes.forEach((outcome, place) => {
    const { position, run_id, tries } = items[place] as StoredItem
    const change = { position, run_id, tries: outcome.tries, error: null, ...nothing }
    if (outcome.kind === 'done') changes.push({ ...change, status: 'running' })
    if (outcome.kind === 'refused') {
      changes.push({ ...change, status: 'failed', error: outcome.why })
    }
    // A failed try keeps its item alone waiting; any other reason to wait is that of the batch.
    if (outcome.kind === 'later' && outcome.tries > tries) {
      const waits = { error: outcome.why, waitSeconds: outcome.seconds }
      changes.push({ ...change, status: 'queued', ...waits })
    }
  })
  const waiting = outcomes.find(
    ({ kind, tries }, place) => kind === 'later' && tries === items[place]?.tries,
  )
  const held = waiting?.kind === 'later' ? waiting.why : null
  return record(services, batch, { changes, held })
}

async function cancelRuns(
  services: Services,
  { accountId, id, createdBy, creatorName }: DueBatch,
  open: { item: StoredItem }[],
): Promise<void> {
  if (open.length === 0) return
  const cause = { id: createdBy, name: creatorName }
  const work = { cause, action: 'cancel run', audit: 'run.cancelled', reservedId: id } as const
  const ctx = await backgroundContext(services, accountId, work)
  for (const { item } of open) await cancelRun(forResource(ctx, item.run_id), item.run_id)
}

/** The figures of a run that has not ended. */
const nothing = { cost_usd: 0, calls_without_price: 0, has_warnings: false }

const isUnderWay = (status: string): boolean => status === 'running' || status === 'waiting'

/** The change of an item since the last pass; undefined for none. */
function changeOf(item: StoredItem, state: RunState | undefined): ItemChange | undefined {
  const { position, run_id } = item
  const change = (status: ItemChange['status'], error: string | null): ItemChange => ({
    position,
    run_id,
    status,
    error,
    cost_usd: state?.cost_usd ?? 0,
    calls_without_price: state?.calls_without_price ?? 0,
    has_warnings: status === 'completed' && state?.has_warnings === true,
  })
  if (state === undefined)
    return change('failed', 'The run was deleted before its result was recorded.')
  if (state.status === 'completed') return change('completed', null)
  if (state.status === 'failed')
    return change(state.error_code === 'cancelled' ? 'cancelled' : 'failed', state.error)
  const status = state.status === 'waiting_input' ? 'waiting' : 'running'
  return status === item.status ? undefined : { ...change(status, null), ...nothing }
}

function start(
  services: Services,
  { accountId, id, workflowId, createdBy, creatorName, retriedBy }: DueBatch,
  { position, run_id: runId, retry_of: retryOf, item, tries }: StoredItem,
): Promise<Attempted<unknown>> {
  const onBehalfOf = peopleOf(null, retriedBy)
  const cause = { accountId, by: { id: createdBy, name: creatorName }, onBehalfOf, runId }
  const asNew = { workflowId, body: item }
  const request = retryOf === null ? asNew : { retryOf, otherwise: asNew }
  const facts = { batchId: id, position }
  const trying = { log: services.log, tries, what: 'starting an item of a batch', facts }
  return attempt(trying, () => startRun(services, cause, request))
}

/** Records a pass; the batch is due again unless it has ended. */
async function record(
  { database }: Services,
  batch: DueBatch,
  { changes, held }: { changes: ItemChange[]; held: string | null },
): Promise<Outcome> {
  const { accountId, id, workflowId } = batch
  return database.transaction().execute(async (transaction) => {
    // The batch may have been cancelled meanwhile.
    const now = await store.findBatch(transaction, accountId, id, 'for no key update')
    if (now === undefined) return done(undefined)
    await itemStore.changeItems(transaction, batch, changes)
    const counts = await itemStore.countItems(transaction, batch)
    if (counts.queued + counts.running + counts.waiting > 0) {
      const isIdle = counts.queued + counts.running === 0
      const seconds = held !== null ? pauses.held : isIdle ? pauses.waiting : pauses.moving
      await store.updateBatch(transaction, batch, { counts, status: now.status })
      return { kind: 'later', why: held ?? '', seconds, isSteady: true }
    }
    const status = now.status === 'cancelling' ? 'cancelled' : 'completed'
    const ended = await store.updateBatch(transaction, batch, { counts, status, due: 'never' })
    const data = {
      ...ended,
      workflow: { id: workflowId, name: await store.readWorkflowName(transaction, batch) },
      file_names: await itemStore.readFileNames(transaction, batch),
    }
    const event = { id: newId('evt'), type: 'batch.completed', data, workflowId } as const
    await publishEvent(transaction, accountId, event)
    return done(undefined)
  })
}
