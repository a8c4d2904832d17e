import type { SecretBox } from '../secret-box.ts'

/** Credentials and headers at rest, each bound to its account and connector. */
export function sealSecret(
  secrets: SecretBox,
  accountId: string,
  id: string,
  secret: Record<string, unknown>,
): Buffer {
  return secrets.seal(Buffer.from(JSON.stringify(secret)), purpose(accountId, id))
}

export function openSecret(
  secrets: SecretBox,
  accountId: string,
  connector: { id: string; secret: Buffer },
): Record<string, unknown> {
  const text = secrets.open(connector.secret, purpose(accountId, connector.id)).toString()
  return JSON.parse(text) as Record<string, unknown>
}

function purpose(accountId: string, id: string): string {
  return `connector ${accountId} ${id}`
}
