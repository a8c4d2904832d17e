import type { SecretBox } from '../secret-box.ts'

/** Signing secrets at rest, each bound to its endpoint. */
export function sealSecret(secrets: SecretBox, endpointId: string, secret: string): Buffer {
  return secrets.seal(Buffer.from(secret), `webhook ${endpointId}`)
}

export function openSecret(secrets: SecretBox, endpointId: string, sealed: Buffer): string {
  return secrets.open(sealed, `webhook ${endpointId}`).toString()
}
