import type { Agent, Muster } from '../../sdk/index.ts'
import { findOneByName, noneOfName } from '../by-name.ts'

/** The agent with an id or an exact name; `action` completes "Cannot …". */
export async function findAgent(muster: Muster, action: string, nameOrId: string): Promise<Agent> {
  if (/^agt_[0-9a-z]{26}$/.test(nameOrId)) return muster.agents.retrieve(nameOrId)
  const found = await findAgentByName(muster, action, nameOrId)
  if (found === undefined) throw noneOfName(action, 'agent', nameOrId)
  return found
}

export async function findAgentByName(
  muster: Muster,
  action: string,
  name: string,
): Promise<Agent | undefined> {
  return findOneByName(await muster.agents.list(), action, 'agent', name)
}
