import type { Transaction } from '../db/client.ts'
import { derivedId } from '../ids.ts'
import { forgetFromRun, rememberFromRun } from './remember.ts'
import type { MemoryScope } from './schema.ts'
import type { ToolCall } from '../engine/run/ledger.ts'
import { ownTools } from '../tools/own-tools.ts'
import { runEvent, type RunEvent } from '../engine/run/step.ts'

/** The result of a memory tool, written in the ledger's transaction. */
export interface Kept {
  status: 'succeeded' | 'failed'
  output: string
  events: RunEvent[]
}

export async function keepNote(
  transaction: Transaction,
  { accountId, runId, scope }: { accountId: string; runId: string; scope: MemoryScope | undefined },
  call: Pick<ToolCall, 'id' | 'tool' | 'input'>,
): Promise<Kept> {
  if (scope === undefined) return failed('this agent keeps no memory')
  if (call.tool === ownTools.forget.id) {
    const id = String(call.input?.['id'])
    const isGone = await forgetFromRun(transaction, { accountId, scope, id })
    if (!isGone) return failed('Cannot forget: no such note, or a person has pinned it.')
    return { status: 'succeeded', output: 'Forgotten.', events: [] }
  }
  const id = derivedId('mem', runId, call.id)
  const content = String(call.input?.['content'])
  const kept = await rememberFromRun(transaction, { accountId, scope, runId, id, content })
  if (kept.kind === 'refused') return failed(kept.why)
  const events =
    kept.evictedId === null
      ? []
      : [
          runEvent(
            runId,
            'memory.evicted',
            { entry_id: kept.evictedId, made_room_for: id },
            call.id,
          ),
        ]
  return { status: 'succeeded', output: `Kept as ${kept.id}.`, events }
}

function failed(output: string): Kept {
  return { status: 'failed', output, events: [] }
}
