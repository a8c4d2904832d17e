import type { BuiltInConnector } from '../tools/connector.ts'
import { email } from './email.ts'
import { files } from '../tools/files.ts'
import { hubspot } from './hubspot.ts'
import { slack } from './slack.ts'
import { web } from './web/web.ts'

/** All built-in connectors, in the order of lists. */
export const builtInConnectors: readonly BuiltInConnector[] = [email, files, hubspot, slack, web]

/** Connectors that need credentials. */
export const connectable = builtInConnectors.filter(({ id }) => id !== files.id)

export function findBuiltInConnector(id: string): BuiltInConnector | undefined {
  return builtInConnectors.find((builtIn) => builtIn.id === id)
}
