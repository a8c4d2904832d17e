import { checkListBytes } from '../accounts/list-bytes.ts'
import { lockAccount } from '../accounts/lock.ts'
import { recordAudit } from '../accounts/record-audit.ts'
import { checkCapabilities } from '../connectors/check-capabilities.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { checkModel } from '../fine-tunes/check-model.ts'
import type { Agent, CreateAgent } from './schema.ts'
import { countAgentBytes, insertAgent, maxAgentsPerAccount } from './store.ts'
import { withoutRepeats } from './without-repeats.ts'

export async function createAgent(ctx: Context, id: string, input: CreateAgent): Promise<Agent> {
  const fields = { ...defaults, ...input }
  if (fields.model !== null) await checkModel(ctx, 'create agent', 'model', fields.model)
  await checkCapabilities(ctx, 'create agent', fields)
  const agent = await ctx.database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, ctx.accountId)
    const inserted = await insertAgent(transaction, ctx.accountId, id, withoutRepeats(fields))
    const bytes = await countAgentBytes(transaction, ctx.accountId)
    checkListBytes('create agent', 'agents', bytes)
    if (inserted !== undefined) {
      await recordAudit(transaction, ctx, { objectId: id, after: inserted })
    }
    return inserted
  })
  if (agent === undefined) {
    throw new DomainError(
      'too_many_agents',
      `Cannot create agent: the account has ${maxAgentsPerAccount} agents, the maximum`,
    )
  }
  return agent
}

/** What an agent has where its creator said nothing. */
const defaults = {
  description: null,
  category: 'General',
  model: null,
  maxTokens: null,
  connectors: [] as string[],
  capabilities: [] as string[],
  status: 'active',
  memory_enabled: true,
} as const
