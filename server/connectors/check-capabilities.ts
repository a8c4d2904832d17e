import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { builtIns } from '../tools/built-ins.ts'
import { nearest } from '../nearest.ts'
import { splitCapability } from './open-tools.ts'
import { listToolIds } from './store.ts'

/**
 * Refuses connectors and capabilities that the account does not have, and capabilities whose
 * connector is not listed. A built-in is known even where it is not connected.
 */
export async function checkCapabilities(
  ctx: Context,
  action: string,
  agent: { connectors: string[]; capabilities: string[] },
): Promise<void> {
  if (agent.connectors.length === 0 && agent.capabilities.length === 0) return
  const known = new Map(
    builtIns.map(({ id, actions }) => [id, actions.map((candidate) => candidate.id)]),
  )
  for (const { id, tools } of await listToolIds(ctx.database, ctx.accountId)) {
    known.set(
      id,
      tools.map((tool) => `${id}.${tool}`),
    )
  }
  agent.connectors.forEach((id, index) => {
    if (known.has(id)) return
    const param = `connectors[${index}]`
    const near = nearest(id, [...known.keys()]).join(', ')
    throw new DomainError(
      'unknown_connector',
      `Cannot ${action}: ${param} is ${id}, not a connector of this account, nearest are ${near}`,
      { param },
    )
  })
  const all = [...known.values()].flat()
  agent.capabilities.forEach((id, index) => {
    const param = `capabilities[${index}]`
    const refuse = (why: string): never => {
      throw new DomainError('unknown_capability', `Cannot ${action}: ${param} is ${id}, ${why}`, {
        param,
      })
    }
    if (!all.includes(id))
      refuse(`not an action of a connector, nearest are ${nearest(id, all).join(', ')}`)
    const { connector } = splitCapability(id)
    if (!agent.connectors.includes(connector)) {
      refuse(`but ${connector} is not among connectors, add it there`)
    }
  })
}
