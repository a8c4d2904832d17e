import type { BuiltInConnector, Credentials } from '../tools/connector.ts'
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

/** A field of an older version, which the schema no longer has, counts as secret. */
export function isSecretField({ credentials }: BuiltInConnector, name: string): boolean {
  const field = credentials.properties[name]
  return field === undefined || ('writeOnly' in field && field.writeOnly === true)
}

/** The secret ones of a connector's credentials. */
export function secretsOf(connectorId: string, credentials: Credentials): Credentials {
  const builtIn = findBuiltInConnector(connectorId)
  if (builtIn === undefined) return credentials
  const secrets = Object.entries(credentials).filter(([name]) => isSecretField(builtIn, name))
  return Object.fromEntries(secrets)
}
