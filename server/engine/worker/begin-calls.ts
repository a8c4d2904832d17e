import type { Database, Transaction } from '../../db/client.ts'
import { readPolicies } from '../../policies/read.ts'
import { mailAction } from '../../tools/contract.ts'
import { begin, refuse, toolEvent, type ToolCall } from '../state/ledger.ts'
import { told } from '../state/told.ts'
import type { LedgerEntry } from '../state/ledger-store.ts'
import { takeMails } from '../state/mail-store.ts'
import type { CallSite } from './settle-calls.ts'

export const isMail = ({ tool }: Pick<ToolCall, 'tool'>): boolean => tool === mailAction

/**
 * Lets approved calls go out, and says what is to be written of it. Mails are counted, so theirs is to be
 * written in the same transaction; those past the account's limit of the day are refused.
 */
export async function beginCalls(
  database: Database | Transaction,
  { fence, step, log }: Pick<CallSite, 'fence' | 'step' | 'log'>,
  ready: ToolCall[],
): Promise<Pick<LedgerEntry, 'begun' | 'heldBack' | 'events'>> {
  const mails = ready.filter(isMail)
  const refused: ToolCall[] = []
  if (mails.length > 0) {
    const { accountId, runId } = fence
    const { mails_a_day: own } = await readPolicies(database, accountId)
    const { taken, limit } = await takeMails(database, accountId, mails.length, own)
    refused.push(...mails.slice(taken))
    for (const call of refused) {
      Object.assign(call, refuse(call, told.tooManyMails(limit)))
      log.warn({ accountId, runId, callId: call.id, limit }, 'mail refused: mails_a_day is reached')
    }
  }
  const going = ready.filter((call) => !refused.includes(call))
  for (const call of going) {
    Object.assign(call, { ...begin(call), timesMade: call.timesMade + 1 })
  }
  return {
    begun: going.map(({ id }) => id),
    heldBack: refused,
    events: [
      ...going.map((call) => toolEvent(fence.runId, 'tool.started', step, call)),
      ...refused.map((call) => toolEvent(fence.runId, 'tool.completed', step, call)),
    ],
  }
}
