import { createHash } from 'node:crypto'

/** SHA-256 of an action's description and input schema. */
export function hashTool({
  description,
  inputSchema,
}: {
  description: string
  inputSchema: unknown
}): string {
  return createHash('sha256').update(canonical({ description, inputSchema })).digest('hex')
}

/**
 * The version that an approval is bound to besides the arguments: the definition of the action, and
 * the connection that it uses.
 */
export function versionOfTool(hash: string, connection: string): string {
  return createHash('sha256').update(`${hash} ${connection}`).digest('hex').slice(0, 32)
}

/** JSON that does not depend on the order of keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
