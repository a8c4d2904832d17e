import { createHmac, randomBytes } from 'node:crypto'

/** Standard Webhooks: what a receiver verifies, over the exact bytes that are sent. */
export function makeSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The three headers; with two secrets both sign, so that a receiver can change over. */
export function signHeaders(
  message: { id: string; timestampSeconds: number; body: string },
  secrets: string[],
): Record<string, string> {
  const { id, timestampSeconds, body } = message
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets
      .map((secret) => `v1,${sign(`${id}.${timestampSeconds}.${body}`, secret)}`)
      .join(' '),
  }
}

function sign(text: string, secret: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}
