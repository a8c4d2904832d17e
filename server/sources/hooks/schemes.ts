import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Verifies senders' signatures; pure. Each scheme follows its vendor's documentation. Signatures
 * cover the exact bytes of the body, and are compared in constant time. If the time is signed too,
 * it may differ from now by the hook's tolerance.
 */
export const schemeNames = [
  'standard_webhooks',
  'github',
  'stripe',
  'slack',
  'hmac_sha256',
  'none',
] as const
export type SchemeName = (typeof schemeNames)[number]

export interface Scheme {
  scheme: SchemeName
  /** Used by `hmac_sha256`. */
  signature_header: string | null
  /** Used by `hmac_sha256` and `none`. */
  event_id_header: string | null
  tolerance_seconds: number
}

/** A received request; header names are in lower case. */
export interface Sent {
  headers: Record<string, string>
  bytes: Buffer
  /** The parsed body. */
  body: unknown
}

export type Verdict =
  | { kind: 'genuine'; eventId: string | null; eventType: string | null }
  | { kind: 'refused'; why: string }

const defaultSignatureHeader = 'x-signature-256'

export function verify(sent: Sent, scheme: Scheme, secrets: string[], nowMs: number): Verdict {
  if (scheme.scheme !== 'none' && secrets.length === 0) {
    return refused('the hook has no secret yet')
  }
  const signed = readers[scheme.scheme](sent, scheme)
  if ('why' in signed) return refused(signed.why)
  if (!('none' in signed)) {
    const isSigned = secrets.some((secret) => signed.matches(secret))
    if (!isSigned) return refused('the signature does not fit the body and the secret')
    if (signed.atSeconds !== undefined) {
      const late = nowMs / 1_000 - signed.atSeconds
      if (Math.abs(late) > scheme.tolerance_seconds) {
        const when = `${Math.round(Math.abs(late))} s ${late > 0 ? 'ago' : 'from now'}`
        return refused(`it was signed ${when}, expected within ${scheme.tolerance_seconds} s`)
      }
    }
  }
  return { kind: 'genuine', eventId: signed.eventId, eventType: signed.eventType }
}

/** The response for a sender that verifies the address before it sends events. */
export function handshakeOf({ body }: Sent, { scheme }: Scheme): string | undefined {
  const { type, challenge } = fieldsOf(body)
  const isAsked = scheme === 'slack' && type === 'url_verification'
  return isAsked && typeof challenge === 'string' ? challenge.slice(0, 500) : undefined
}

/** Whether an event only tests the address. */
export function isPing({ eventType }: { eventType: string | null }, { scheme }: Scheme): boolean {
  return scheme === 'github' && eventType === 'ping'
}

const leastKeyBytes = 24

/** Why a scheme cannot use a secret; undefined if it can. Other schemes take any text. */
export function refuseSecret(scheme: SchemeName, secret: string): string | undefined {
  if (scheme !== 'standard_webhooks') return undefined
  const form = `whsec_ and at least ${leastKeyBytes} bytes as base64`
  const text = secret.replace(/^(?:v1,)?whsec_/, '')
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return `the secret is no base64, expected ${form}`
  const { length } = standardKey(secret)
  return length < leastKeyBytes
    ? `the secret has a key of ${length} bytes, expected ${form}`
    : undefined
}

/** Some senders put the version of the signature before the secret. */
function standardKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^(?:v1,)?whsec_/, ''), 'base64')
}

interface Event {
  eventId: string | null
  eventType: string | null
}

type Signed = Event &
  ({ matches: (secret: string) => boolean; atSeconds?: number } | { none: true })

type Reader = (sent: Sent, scheme: Scheme) => Signed | { why: string }

const readers: Record<SchemeName, Reader> = {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  standard_webhooks: ({ headers, bytes, body }) => {
    const read = (name: string) => headers[`webhook-${name}`] ?? headers[`svix-${name}`]
    const [id, at, given] = [read('id'), read('timestamp'), read('signature')]
    if (id === undefined || at === undefined || given === undefined) {
      return { why: 'webhook-id, webhook-timestamp or webhook-signature is missing' }
    }
    if (!isSeconds(at)) return { why: 'webhook-timestamp is no time' }
    const text = Buffer.concat([Buffer.from(`${id}.${at}.`), bytes])
    const signatures = given
      .split(' ')
      .flatMap((one) => (one.startsWith('v1,') ? one.slice(3) : []))
    return {
      eventId: id,
      eventType: shortText(fieldsOf(body)['type']),
      atSeconds: Number(at),
      matches: (secret) => {
        const mac = createHmac('sha256', standardKey(secret)).update(text).digest('base64')
        return anyEqual(signatures, mac)
      },
    }
  },

  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: ({ headers, bytes }) => {
    const given = headers['x-hub-signature-256']
    if (given === undefined) return { why: 'X-Hub-Signature-256 is missing' }
    return {
      eventId: headers['x-github-delivery'] ?? null,
      eventType: headers['x-github-event'] ?? null,
      matches: (secret) => anyEqual([given], `sha256=${macOf(secret, bytes)}`),
    }
  },

  // https://docs.stripe.com/webhooks#verify-manually
  stripe: ({ headers, bytes, body }) => {
    const given = headers['stripe-signature']
    if (given === undefined) return { why: 'Stripe-Signature is missing' }
    const parts = given.split(',').map((part) => part.trim().split('=') as [string, string?])
    const at = parts.find(([name]) => name === 't')?.[1]
    if (at === undefined || !isSeconds(at)) return { why: 'Stripe-Signature has no time' }
    const signatures = parts.flatMap(([name, value]) => (name === 'v1' ? (value ?? []) : []))
    const text = Buffer.concat([Buffer.from(`${at}.`), bytes])
    const { id, type } = fieldsOf(body)
    return {
      eventId: shortText(id),
      eventType: shortText(type),
      atSeconds: Number(at),
      matches: (secret) => anyEqual(signatures, macOf(secret, text)),
    }
  },

  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: ({ headers, bytes, body }) => {
    const [at, given] = [headers['x-slack-request-timestamp'], headers['x-slack-signature']]
    if (at === undefined || given === undefined) {
      return { why: 'X-Slack-Request-Timestamp or X-Slack-Signature is missing' }
    }
    if (!isSeconds(at)) return { why: 'X-Slack-Request-Timestamp is no time' }
    const text = Buffer.concat([Buffer.from(`v0:${at}:`), bytes])
    const fields = fieldsOf(body)
    return {
      eventId: shortText(fields['event_id']),
      eventType: shortText(
        fieldsOf(fields['event'])['type'] ?? fields['type'] ?? fields['command'],
      ),
      atSeconds: Number(at),
      matches: (secret) => anyEqual([given], `v0=${macOf(secret, text)}`),
    }
  },

  // For many services: a MAC of the body, in hex or base64, with or without `sha256=`.
  hmac_sha256: (
    { headers, bytes, body },
    { signature_header: name, event_id_header: idHeader },
  ) => {
    const header = (name ?? defaultSignatureHeader).toLowerCase()
    const given = headers[header]?.replace(/^sha256=/i, '')
    if (given === undefined) return { why: `the header ${header} is missing` }
    return {
      ...plainEvent(headers, body, idHeader),
      matches: (secret) => {
        const mac = createHmac('sha256', secret).update(bytes).digest()
        const isHex = /^[0-9a-f]{64}$/i.test(given)
        return isHex
          ? anyEqual([given.toLowerCase()], mac.toString('hex'))
          : anyEqual([given], mac.toString('base64'))
      },
    }
  },

  none: ({ headers, body }, { event_id_header: idHeader }) => ({
    ...plainEvent(headers, body, idHeader),
    none: true,
  }),
}

function plainEvent(
  headers: Record<string, string>,
  body: unknown,
  idHeader: string | null,
): Event {
  return {
    eventId: idHeader === null ? null : (headers[idHeader.toLowerCase()] ?? null),
    eventType: shortText(fieldsOf(body)['type']),
  }
}

function refused(why: string): Verdict {
  return { kind: 'refused', why }
}

function macOf(secret: string, text: Buffer): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

function anyEqual(given: string[], expected: string): boolean {
  const wanted = Buffer.from(expected)
  // At most ten signatures, because a header may have any number.
  return given.slice(0, 10).some((one) => {
    const bytes = Buffer.from(one)
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted)
  })
}

function isSeconds(text: string): boolean {
  return /^\d{1,12}$/.test(text)
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null
}
