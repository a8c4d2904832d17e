import { reserveCall } from '../../budgets/reserve.ts'
import type { Context } from '../../context.ts'
import { countOutsideRuns } from '../../engine/journal/record.ts'
import { estimateCost } from '../../engine/run/estimate.ts'
import { takeTurn } from '../../engine/worker/model-turn.ts'
import { newId } from '../../ids.ts'
import { refused, type Later, type Refused } from '../../work/outcome.ts'
import { storable } from '../../safe-text.ts'
import type { WorkflowDefinition } from '../../workflows/schema.ts'
import {
  foldingInstructions,
  foldingPrompt,
  planConversation,
  summaryTokens,
  tokensOf,
  toTurns,
  type EarlierTurn,
} from './conversation.ts'
import { readLastAnswer, readTurns } from './message-store.ts'
import { type DueMessage } from './turn-store.ts'
import type { ThreadSummary } from './schema.ts'
import * as store from './store.ts'

/**
 * The context of a turn: what its first agent is sent of the earlier turns. Turns that do not fit are folded into
 * summaries first, each a row that is written with its cost in one transaction. So after a crash a summary is there, or
 * is made again.
 */
export type TurnContext = { kind: 'ready'; context: string | null } | Refused | Later

/** Messages that are read at once; there are more only if earlier turns were not sent before. */
const messagesAtOnce = 1_000

export async function openContext(
  ctx: Context,
  message: DueMessage,
  workflow: Pick<WorkflowDefinition, 'thread' | 'model' | 'fallbacks' | 'crew'>,
  signal: AbortSignal,
): Promise<TurnContext> {
  const { threadId, turn } = message
  const { thread } = workflow
  if (thread === null) return refused('The workflow takes no threads any more')
  if (turn === 1 || thread.context === 'none') return { kind: 'ready', context: null }
  const maxTokens = Math.min(thread.max_tokens, windowOf(ctx, workflow))
  if (thread.context === 'last_output') {
    const answer = await readLastAnswer(ctx.database, ctx.accountId, threadId, turn)
    return { kind: 'ready', context: answer === undefined ? null : lastOutput(answer, maxTokens) }
  }
  for (;;) {
    const summary = await store.findSummary(ctx.database, ctx.accountId, threadId, turn)
    const range = { from: (summary?.through_turn ?? 0) + 1, to: turn, limit: messagesAtOnce }
    const messages = await readTurns(ctx.database, ctx.accountId, threadId, range)
    const plan = planConversation(summary, toTurns(messages), maxTokens)
    const isAll = messages.length < messagesAtOnce
    if (plan.kind === 'whole' && isAll) return { kind: 'ready', context: plan.context }
    // The last one that was read may lack its answer.
    const folded = plan.kind === 'fold' ? plan.turns : toTurns(messages).slice(0, -1)
    const failed = await fold(ctx, message, workflow, { summary, turns: folded, maxTokens, signal })
    if (failed !== undefined) return failed
  }
}

/** Half of the window of the first agent's model: the rest is for its instructions, tools and answer. */
function windowOf(
  ctx: Context,
  { crew, model }: Pick<WorkflowDefinition, 'model' | 'crew'>,
): number {
  const id = crew[0]?.model ?? model ?? ctx.models.defaultModel
  const window = ctx.models.find(id)?.contextWindow ?? null
  return window === null ? Infinity : Math.floor(window / 2)
}

function lastOutput(answer: string, maxTokens: number): string {
  const characters = maxTokens * 4
  const text =
    tokensOf(answer) <= maxTokens ? answer : `${answer.slice(0, characters)}\n\n[Cut here]`
  return `## Your last answer\n\n${storable(text)}`
}

interface Folding {
  summary: ThreadSummary | undefined
  turns: EarlierTurn[]
  maxTokens: number
  signal: AbortSignal
}

/** Seconds to the next try, where a provider or a budget does not say. */
const againSeconds = 10

/** Writes a summary of these turns and the summary before them. Returns why that is not possible now, or ever. */
async function fold(
  ctx: Context,
  { accountId, threadId, workflowId, tags }: DueMessage,
  workflow: Pick<WorkflowDefinition, 'thread' | 'model' | 'fallbacks'>,
  { summary, turns, maxTokens, signal }: Folding,
): Promise<Refused | Later | undefined> {
  const own = workflow.model ?? ctx.models.defaultModel
  const model = workflow.thread?.summary_model ?? own
  const fallbacks = model === own ? workflow.fallbacks : [own]
  const size = summaryTokens(maxTokens)
  const request = {
    instructions: foldingInstructions(Math.floor(size * 0.6)),
    messages: [
      {
        role: 'user' as const,
        content: [{ type: 'text' as const, text: foldingPrompt(summary, turns) }],
      },
    ],
    // Reasoning counts as output too.
    maxOutputTokens: 2 * size + 2_000,
  }
  const info = ctx.models.find(model)
  const unpriced = { priceIn: null, priceOut: null }
  const subject = { accountId, workflowId, agentId: null, threadId, tags }
  using reservation = await reserveCall(
    ctx.database,
    subject,
    estimateCost(info ?? unpriced, request),
  )
  if (reservation.kind === 'full') {
    return { kind: 'later', why: `The summary waits: ${reservation.why}`, seconds: 60 }
  }
  const outcome = await takeTurn(ctx.models, {
    ...request,
    model,
    fallbacks,
    tunedModels: [],
    tries: 0,
    signal,
  })
  const { usage } = outcome
  const text = outcome.kind === 'answered' ? storable(outcome.turn.text.trim()) : ''
  const used = outcome.kind === 'answered' ? outcome.model : model
  await ctx.database.transaction().execute(async (transaction) => {
    // Locked first, as everywhere.
    if ((await store.lockThread(transaction, accountId, threadId)) === undefined) return
    const { costUsd, tokensIn, tokensOut } = usage
    if (text !== '') {
      const replaced = turns.reduce((sum, { tokens }) => sum + tokens, 0)
      await store.insertSummary(transaction, accountId, {
        id: newId('sum'),
        thread_id: threadId,
        through_turn: turns.at(-1)?.number ?? 0,
        text,
        tokens_before: replaced + (summary === undefined ? 0 : tokensOf(summary.text)),
        tokens_after: tokensOf(text),
        model: used,
        cost_usd: costUsd,
      })
    }
    await store.countSpent(transaction, accountId, threadId, { costUsd, tokensIn, tokensOut })
    const place = { accountId, workflowId, threadId, model: used, tags }
    await countOutsideRuns(transaction, place, usage)
    for (const bill of reservation.bills(costUsd)) await bill(transaction)
  })
  switch (outcome.kind) {
    case 'answered':
      if (text !== '') return undefined
      throw new Error(`${used} answered with an empty summary`)
    case 'failed':
      return refused(`The earlier turns cannot be summarized: ${outcome.message}`)
    case 'postponed': {
      const why = outcome.held?.message ?? outcome.message ?? 'its model is not available'
      const seconds = Math.max(1, outcome.delaySeconds || againSeconds)
      return { kind: 'later', why: `The summary waits: ${why}`, seconds }
    }
    case 'aborted':
      return { kind: 'later', why: 'The process stopped', seconds: 1 }
  }
}
