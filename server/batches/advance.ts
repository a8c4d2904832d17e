import { backgroundContext, forResource } from '../accounts/background-context.ts'
import type { Context, Services } from '../context.ts'
import { readRunStates, type RunState } from '../engine/reads/run-figures.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { cancelRun } from '../runs/cancel.ts'
import { retryRun } from '../runs/retry.ts'
import { isHeldBack, triggerRun } from '../runs/trigger.ts'
import { publishEvent } from '../webhooks/deliveries.ts'
import { maxItems } from './schema.ts'
import * as store from './store.ts'
import type { DueBatch, ItemChange, StoredItem } from './store.ts'

/**
 * Advances batches in the background. One pass over a batch records the runs that ended, starts as many items as its
 * concurrency allows, and ends the batch after its last item. Runs that wait for a person do not count against the
 * concurrency. The id of an item's run is reserved with the item, so a process that dies between the run and its record
 * starts no second one. A lease keeps other processes off a batch meanwhile.
 */
const pauses = { moving: 200, waiting: 2_000, held: 5_000 }

/** Bounds of one pass. */
const startsAtOnce = 100
const cancelsAtOnce = 100

export async function advanceBatches(services: Services): Promise<boolean> {
  const due = await store.claimDue(services.database)
  for (const batch of due) await advance(services, batch)
  return due.length > 0
}

async function advance(services: Services, batch: DueBatch): Promise<void> {
  const { database } = services
  const { accountId, id, createdBy, creatorName, concurrency } = batch
  const open = await store.readItems(database, batch, ['running', 'waiting'], maxItems)
  const states = await readRunStates(
    database,
    accountId,
    open.map((item) => item.run_id),
  )
  const looks = open.map((item) => ({ item, change: changeOf(item, states.get(item.run_id)) }))
  const changes = looks.flatMap(({ change }) => change ?? [])
  const running = looks.filter(({ item, change }) => (change ?? item).status === 'running')
  let held: string | null = null
  const inName = async (): Promise<Context> => {
    const cause = { id: createdBy, name: creatorName }
    const action = batch.status === 'cancelling' ? 'cancel run' : 'trigger run'
    const audit = batch.status === 'cancelling' ? 'run.cancelled' : 'run.triggered'
    return backgroundContext(services, accountId, { cause, action, audit, reservedId: id })
  }
  try {
    if (batch.status === 'cancelling') {
      const isOpen = looks.filter(({ item, change }) => isUnderWay((change ?? item).status))
      const ctx = isOpen.length === 0 ? undefined : await inName()
      for (const { item } of isOpen.slice(0, cancelsAtOnce))
        await cancelRun(forResource(ctx as Context, item.run_id), item.run_id)
    } else {
      const room = Math.min(concurrency - running.length, startsAtOnce)
      const items = room <= 0 ? [] : await store.readItems(database, batch, ['queued'], room)
      const ctx = items.length === 0 ? undefined : await inName()
      const started = await Promise.all(items.map((item) => start(ctx as Context, batch, item)))
      changes.push(...started.flatMap((one) => (typeof one === 'string' ? [] : one)))
      held = started.find((one) => typeof one === 'string') ?? null
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    held = error.message
  }
  await record(services, batch, { changes, held })
}

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
  })
  if (state === undefined)
    return change('failed', 'The run was deleted before its result was recorded.')
  if (state.status === 'completed') return change('completed', null)
  if (state.status === 'failed')
    return change(state.error_code === 'cancelled' ? 'cancelled' : 'failed', state.error)
  const status = state.status === 'waiting_input' ? 'waiting' : 'running'
  return status === item.status ? undefined : { ...change(status, null), cost_usd: 0 }
}

/**
 * The change of an item that has started, or can never start; a string says why it cannot start for
 * now.
 */
async function start(
  ctx: Context,
  batch: DueBatch,
  { position, run_id, retry_of, item }: StoredItem,
): Promise<ItemChange | string> {
  const asked = forResource(ctx, run_id)
  const change = { position, run_id, error: null, cost_usd: 0 }
  try {
    if (retry_of === null) await triggerRun(asked, batch.workflowId, run_id, item)
    else await startAgain(asked, batch, { run_id, retry_of, item })
    return { ...change, status: 'running' }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return isHeldBack(error) ? error.message : { ...change, status: 'failed', error: error.message }
  }
}

/** Retries the run, or starts a new one if its crew has changed and a retry is impossible. */
async function startAgain(
  ctx: Context,
  { workflowId }: DueBatch,
  { run_id, retry_of, item }: { run_id: string; retry_of: string; item: StoredItem['item'] },
): Promise<void> {
  try {
    await retryRun(ctx, retry_of, run_id)
  } catch (error) {
    const isImpossible =
      error instanceof DomainError && ['crew_changed', 'not_found'].includes(error.code)
    if (!isImpossible) throw error
    await triggerRun(ctx, workflowId, run_id, item)
  }
}

async function record(
  { database }: Services,
  batch: DueBatch,
  { changes, held }: { changes: ItemChange[]; held: string | null },
): Promise<void> {
  const { accountId, id, workflowId } = batch
  await database.transaction().execute(async (transaction) => {
    // The batch may have been cancelled meanwhile.
    const now = await store.lockBatch(transaction, accountId, id)
    if (now === undefined) return
    await store.changeItems(transaction, batch, changes)
    const counts = await store.countItems(transaction, batch)
    if (counts.queued + counts.running + counts.waiting > 0) {
      const isIdle = counts.queued + counts.running === 0
      const pauseMs = held !== null ? pauses.held : isIdle ? pauses.waiting : pauses.moving
      await store.updateBatch(transaction, batch, { counts, status: now.status, held, pauseMs })
      return
    }
    const status = now.status === 'cancelling' ? 'cancelled' : 'completed'
    const next = { counts, status, held: null, pauseMs: null } as const
    const data = await store.updateBatch(transaction, batch, next)
    const event = { id: newId('evt'), type: 'batch.completed', data, workflowId } as const
    await publishEvent(transaction, accountId, event)
  })
}
