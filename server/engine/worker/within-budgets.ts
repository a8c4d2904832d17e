import type { Database } from '../../db/client.ts'
import { estimateCost, reachedWords, reserveCall, type Reservation } from '../../budgets/reserve.ts'
import type { ModelInfo } from '../../models/contract.ts'
import type { RunFailure } from '../run/run.ts'
import type { AccountGate } from '../safety/quotas.ts'
import type { PutOff, TurnRequest } from './model-turn.ts'

/** A turn that the budgets of the account have room for, by which models, or why it is not made now. */
export type Budgeted =
  | {
      kind: 'open'
      models: string[]
      reservation: Extract<Reservation, { kind: 'reserved' }> | undefined
    }
  | PutOff
  | { kind: 'failed'; failure: RunFailure }

export interface BudgetDeps {
  database: Database
  gate: AccountGate
  fence: { accountId: string }
  /** What budgets choose calls by. */
  subject: { workflowId: string; tags: Record<string, string> | null }
}

/** A held run looks again after this long: somebody may have raised the cap. */
const lookAgainSeconds = 60

export async function reserveTurn(
  { database, gate, fence: { accountId }, subject }: BudgetDeps,
  agentId: string | null,
  request: Pick<
    TurnRequest,
    'model' | 'fallbacks' | 'instructions' | 'messages' | 'tools' | 'maxOutputTokens' | 'tries'
  >,
  find: (id: string) => ModelInfo | undefined,
): Promise<Budgeted> {
  const { model, fallbacks, tries } = request
  const all = [model, ...fallbacks]
  if (!(await gate.hasBudgets(accountId)))
    return { kind: 'open', models: all, reservation: undefined }
  const call = { ...subject, accountId, agentId }
  const estimateOf = (ids: string[]): number =>
    Math.max(...ids.map((id) => estimateCost(find(id) ?? unpriced, request)))
  const reservation = await reserveCall(database, call, estimateOf(all))
  if (reservation.kind === 'reserved') return { kind: 'open', models: all, reservation }
  const { budget } = reservation
  const message = reachedWords(budget)
  if (budget.on_cap === 'refuse') {
    return { kind: 'failed', failure: { code: 'budget_exceeded', message } }
  }
  const dearest = estimateOf([model])
  const cheaper = fallbacks.filter((id) => estimateOf([id]) < dearest)
  if (budget.on_cap === 'fallback' && cheaper.length > 0) {
    const beyond = await reserveCall(database, call, estimateOf(cheaper), { isBeyondCap: true })
    if (beyond.kind === 'reserved') return { kind: 'open', models: cheaper, reservation: beyond }
  }
  const untilNext = Math.max(1, (budget.ends_at.getTime() - Date.now()) / 1_000)
  const delaySeconds = Math.min(lookAgainSeconds, untilNext)
  const held = { reason: 'budget', message: capital(message), lostMs: 0 } as const
  return { kind: 'put-off', tries, delaySeconds, held }
}

const unpriced: Pick<ModelInfo, 'priceIn' | 'priceOut'> = { priceIn: null, priceOut: null }

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
