import { backgroundContext, forResource } from '../../accounts/background-context.ts'
import type { Services } from '../../context.ts'
import { findRetries } from '../../engine/reads/run-figures.ts'
import { derivedId } from '../../ids.ts'
import { cancelRun } from '../../runs/cancel.ts'
import { startRun } from '../../runs/start.ts'
import { attempt, done, refused, type Attempted, type Outcome } from '../../work/outcome.ts'
import { settleRows } from '../../work/table.ts'
import { toPassSettlements, type Work } from '../../work/worker.ts'
import * as store from './store.ts'
import type { DueOperation, Pass } from './store.ts'

/**
 * Bulk operations as work, some runs of each in a pass. After a crash another process repeats the pass with the same
 * result: a cancelled run stays cancelled, and the id of a retry is derived from the operation and the run. A run that has
 * to wait goes behind the others.
 */
export function bulkWork(services: Services, everyMs: number): Work<DueOperation> {
  return {
    what: 'a pass over a bulk operation',
    table: store.operations,
    atOnce: 10,
    perAccount: 5,
    everyMs,
    run: (operation) => advance(services, operation),
    settle: (settled) =>
      settleRows(services.database, store.operations, toPassSettlements(settled, heldSeconds)),
  }
}

/** Seconds until a refused pass is tried again. */
const heldSeconds = 30

async function advance(services: Services, operation: DueOperation): Promise<Outcome> {
  const { id, action, runIds, triesOf } = operation
  const pass: Pass = {
    done: 0,
    problems: [],
    settled: [],
    later: [],
    tries: {},
    seconds: 0,
    held: null,
  }
  const work =
    action === 'cancel' ? await cancelOf(services, operation) : await retryOf(services, operation)
  for (const runId of runIds) {
    const facts = { operationId: id, runId }
    const trying = {
      log: services.log,
      tries: triesOf[runId] ?? 0,
      what: `a bulk ${action}`,
      facts,
    }
    note(pass, runId, await attempt(trying, () => work(runId)))
  }
  const seconds = await store.recordProgress(services.database, operation, pass)
  if (seconds === undefined) return done(undefined)
  return { kind: 'later', why: pass.held ?? '', seconds, isSteady: true }
}

function note(pass: Pass, runId: string, outcome: Attempted<unknown>): void {
  if (outcome.kind === 'later') {
    pass.later.push(runId)
    pass.tries[runId] = outcome.tries
    pass.held = outcome.why
    pass.seconds = Math.max(pass.seconds, outcome.seconds)
    return
  }
  pass.settled.push(runId)
  if (outcome.kind === 'done') pass.done += 1
  else pass.problems.push({ run_id: runId, why: outcome.why })
}

type ActOn = (runId: string) => Promise<Outcome>

async function cancelOf(
  services: Services,
  { accountId, id, createdBy, creatorName }: DueOperation,
): Promise<ActOn> {
  const cause = { id: createdBy, name: creatorName }
  const work = { cause, action: 'cancel run', audit: 'run.cancelled', reservedId: id } as const
  const ctx = await backgroundContext(services, accountId, work)
  return async (runId) => {
    const run = await cancelRun(forResource(ctx, runId), runId)
    return run.error_code === 'cancelled' ? done(run) : refused('It had ended already')
  }
}

/** Retries a run unless it has already been retried. */
async function retryOf(
  services: Services,
  { accountId, id, createdBy, creatorName, runIds }: DueOperation,
): Promise<ActOn> {
  const retries = await findRetries(services.database, accountId, runIds)
  const by = { id: createdBy, name: creatorName }
  return async (retryOf) => {
    const runId = derivedId('run', id, retryOf)
    if (retries.get(retryOf)?.some((one) => one !== runId) === true) {
      return refused('It was retried already')
    }
    return startRun(services, { accountId, by, onBehalfOf: [], runId }, { retryOf })
  }
}
