import { backgroundContext, forResource } from '../../accounts/background-context.ts'
import type { Services } from '../../context.ts'
import { logFailure } from '../../db/outage.ts'
import { readResult, type RunResult } from '../../engine/reads/run-figures.ts'
import { isTerminal } from '../../engine/run/run.ts'
import { wholeEnd } from '../../safe-text.ts'
import { newId } from '../../ids.ts'
import { cancelRun } from '../../runs/cancel.ts'
import { startRun } from '../../runs/start.ts'
import { publishEvent } from '../../sends/webhooks/deliveries.ts'
import { done, outcomeOf, type Tried } from '../../work/outcome.ts'
import type { Settled, Work } from '../../work/worker.ts'
import { definitionOf, readDefinition } from '../../workflows/definition.ts'
import { requireWorkflowVersion } from '../../workflows/versions.ts'
import { requireWorkflow } from '../../workflows/workflows.ts'
import * as messages from './message-store.ts'
import * as turns from './turn-store.ts'
import type { Answer, DueMessage } from './turn-store.ts'
import { threadChannel } from '../../engine/journal/record.ts'
import type { FinalStatus, ThreadMessage } from './schema.ts'
import * as store from './store.ts'
import { openContext } from './summarize.ts'

/**
 * Messages of threads as work. The first open message of a thread is due, and no other: so turns are in order, one at a
 * time. A pass begins its turn: it is marked as running, its context is made, and its run is started with the id that was
 * reserved with it. The statement that ends the run makes the message due again, and a pass records the end, the answer
 * and the cost in one transaction, which makes the next message due. A process that dies between any two of these leaves
 * a message whose claim expires; the next pass reads whether the run exists, and goes on from there.
 */
export function threadWork(services: Services, everyMs: number): Work<DueMessage, Passed> {
  return {
    what: 'a message of a thread',
    table: turns.dueMessages,
    atOnce: 50,
    perAccount: 40,
    everyMs,
    wakes: threadChannel,
    run: (message, signal) => pass(services, message, signal),
    settle: (settled) => settle(services, settled),
  }
}

/** What a pass left: the message has ended, its run is in progress, or no run was begun. */
type Passed = 'ended' | 'started' | 'unstarted'

async function pass(
  services: Services,
  message: DueMessage,
  signal: AbortSignal,
): Promise<Tried<Passed>> {
  const { database } = services
  const { accountId, runId, status, stoppedBy } = message
  if (status === 'running') {
    const run = await readResult(database, accountId, runId)
    if (run !== undefined) return follow(services, message, run)
    if (stoppedBy !== null) {
      await endTurn(services, message, { status: 'cancelled', why: messages.cancelledEarly })
      return done('ended')
    }
  } else if (!(await turns.beginTurn(database, message))) {
    return done('ended')
  }
  try {
    return await begin(services, message, signal)
  } catch (error) {
    const outcome = outcomeOf(error)
    if (outcome === undefined) throw error
    return outcome.kind === 'later' ? { ...outcome, value: 'unstarted' } : outcome
  }
}

/** Starts the run of a turn. */
async function begin(
  services: Services,
  message: DueMessage,
  signal: AbortSignal,
): Promise<Tried<Passed>> {
  const { accountId, runId, threadId, turn, workflowId, version, author } = message
  const ctx = await backgroundContext(services, accountId, {
    cause: author,
    action: 'begin turn',
    audit: 'run.triggered',
    reservedId: runId,
  })
  const workflow =
    version === null
      ? readDefinition(definitionOf(await requireWorkflow(ctx, workflowId)))
      : await requireWorkflowVersion(ctx, workflowId, version)
  const opened = await openContext(ctx, message, workflow, signal)
  if (opened.kind === 'refused') return opened
  if (opened.kind === 'later') return { ...opened, value: 'unstarted' }
  const { text, data, files, tags } = message
  const outcome = await startRun(
    services,
    { accountId, by: author, onBehalfOf: [], runId },
    {
      workflowId,
      body: {
        ...((text !== '' || data === null) && { input: text }),
        ...(data !== null && { data }),
        ...(files.length > 0 && { files: files.map(({ id }) => id) }),
        ...(version !== null && { version }),
        tags,
      },
      turn: { threadId, number: turn, context: opened.context },
    },
  )
  if (outcome.kind === 'done') return done('started')
  return outcome.kind === 'later' ? { ...outcome, value: 'unstarted' } : outcome
}

/** Records the end of a run, if it has ended. */
async function follow(
  services: Services,
  message: DueMessage,
  run: RunResult,
): Promise<Tried<Passed>> {
  if (!isTerminal(run.status)) return done('started')
  const spent = { costUsd: run.cost_usd, tokensIn: run.tokens_in, tokensOut: run.tokens_out }
  if (run.status === 'completed') {
    const answer = { text: run.output ?? '', data: run.output_json, files: run.files }
    await endTurn(services, message, { status: 'answered', why: null, answer, spent })
    return done('ended')
  }
  const status = run.error_code === 'cancelled' ? 'cancelled' : 'failed'
  await endTurn(services, message, { status, why: run.error, spent })
  return done('ended')
}

interface End {
  status: FinalStatus
  why: string | null
  answer?: Answer
  spent?: store.Spent
}

const nothing: store.Spent = { costUsd: 0, tokensIn: 0, tokensOut: 0 }

/** Records the end of a turn once: its state, its answer, its cost, and the event for webhooks. */
async function endTurn(
  { database }: Pick<Services, 'database'>,
  message: DueMessage,
  { status, why, answer, spent = nothing }: End,
): Promise<void> {
  const { accountId, id, threadId } = message
  await database.transaction().execute(async (transaction) => {
    if ((await store.lockThread(transaction, accountId, threadId)) === undefined) return
    if (!(await turns.endMessage(transaction, message, { status, why }))) return
    const written =
      answer === undefined ? null : await turns.insertAnswer(transaction, message, answer)
    const thread = await store.countSpent(transaction, accountId, threadId, spent)
    const ended = await messages.findMessage(transaction, accountId, id)
    await publishEvent(transaction, accountId, {
      id: newId('evt'),
      type: 'thread.message',
      data: { thread, message: shorten(ended), answer: shorten(written) },
      workflowId: message.workflowId,
    })
  })
}

const maxSentLength = 16_000

/** A message in the body of a webhook, which is bounded. */
function shorten(message: ThreadMessage | null | undefined): object | null {
  if (message == null) return null
  const { text } = message
  if (text.length <= maxSentLength) return message
  return { ...message, text: text.slice(0, wholeEnd(text, maxSentLength)), truncated: true }
}

/** A run in progress is looked at this often, in case its end was not told: by a process of an earlier version. */
const lookSeconds = { least: 30, most: 600 }

async function settle(services: Services, settled: Settled<DueMessage, Passed>[]): Promise<void> {
  const waiting: turns.Waiting[] = []
  for (const { item, outcome, waitSeconds } of settled) {
    const { accountId, id, ageSeconds } = item
    const { tries } = outcome
    if (outcome.kind === 'refused') {
      // One message must not keep the others from being settled; its claim expires.
      await endRefused(services, item, outcome.why).catch((error: unknown) => {
        logFailure(services.log, error, 'a refused message was not recorded', { id })
      })
    } else if (outcome.kind === 'later') {
      const isUnstarted = outcome.value === 'unstarted'
      const wait = waitSeconds ?? outcome.seconds
      waiting.push({ accountId, id, waitSeconds: wait, why: outcome.why, tries, isUnstarted })
    } else if (outcome.value === 'started') {
      const wait = Math.min(Math.max(lookSeconds.least, ageSeconds / 4), lookSeconds.most)
      waiting.push({ accountId, id, waitSeconds: wait, why: null, tries, isUnstarted: false })
    }
  }
  if (waiting.length === 0) return
  const stopped = await turns.settleWaiting(services.database, waiting)
  for (const { accountId, runId, stoppedBy } of stopped) {
    const work = { cause: stoppedBy, action: 'stop thread', audit: 'run.cancelled' } as const
    const ctx = await backgroundContext(services, accountId, { ...work, reservedId: runId })
    if ((await readResult(services.database, accountId, runId)) !== undefined)
      await cancelRun(forResource(ctx, runId), runId)
  }
}

/** A message is refused only if it has no run: an error after the start of the run does not end its turn. */
async function endRefused(services: Services, item: DueMessage, why: string): Promise<void> {
  const run = await readResult(services.database, item.accountId, item.runId)
  if (run === undefined) return endTurn(services, item, { status: 'refused', why })
  const { accountId, id } = item
  const again = { accountId, id, waitSeconds: lookSeconds.least, why, tries: 0, isUnstarted: false }
  await turns.settleWaiting(services.database, [again])
}
