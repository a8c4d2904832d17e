import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { builtInConnectors } from './built-ins.ts'
import { files } from '../tools/files.ts'
import { nearest } from '../nearest.ts'
import { splitCapability } from './open-tools.ts'
import { listToolIds } from './store.ts'

/**
 * Throws for connectors and capabilities that the account does not have, and for capabilities whose
 * connector is not listed. Built-in connectors count even if they are not connected; `files` needs
 * no connection. An MCP server takes precedence over a built-in with the same name. `place` is the
 * path of the object with both fields, such as `crew[0].`.
 */
export async function checkCapabilities(
  ctx: Context,
  { connectors, capabilities }: { connectors: string[]; capabilities: string[] },
  place = '',
): Promise<void> {
  if (connectors.length === 0 && capabilities.length === 0) return
  const servers = await listToolIds(ctx.database, ctx.accountId)
  const ours = builtInConnectors.filter(({ id }) => !servers.some((server) => server.id === id))
  const known = [...ours, ...servers].map(({ id }) => id)
  const all = [
    ...ours.flatMap(({ actions }) => actions.map(({ id }) => id)),
    ...servers.flatMap(({ id, tools }) => tools.map((tool) => `${id}.${tool}`)),
  ]
  for (const [index, id] of connectors.entries()) {
    if (known.includes(id)) continue
    const param = `${place}connectors[${index}]`
    const near = nearest(id, known).join(', ')
    const why = `${param} is ${id}, not a connector of this account, nearest are ${near}`
    throw cannot(ctx, 'unknown_connector', why, { param })
  }
  for (const [index, id] of capabilities.entries()) {
    const param = `${place}capabilities[${index}]`
    const { connector } = splitCapability(id)
    const isListed =
      connectors.includes(connector) || (connector === files.id && ours.includes(files))
    if (all.includes(id) && isListed) continue
    const why = all.includes(id)
      ? `but ${connector} is not among connectors, add it there`
      : `not an action of a connector, nearest are ${nearest(id, all).join(', ')}`
    throw cannot(ctx, 'unknown_capability', `${param} is ${id}, ${why}`, { param })
  }
}
