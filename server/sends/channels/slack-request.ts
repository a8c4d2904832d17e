import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Requests that Slack signs: https://docs.slack.dev/authentication/verifying-requests-from-slack.
 * The signature covers the body and the time; a request is valid for five minutes.
 */
const windowSeconds = 300

export function isFromSlack(
  body: string,
  { timestamp, signature }: { timestamp: string; signature: string },
  secret: string,
  nowMs: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > windowSeconds) return false
  const mac = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  const [given, expected] = [Buffer.from(signature), Buffer.from(`v0=${mac}`)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** A click on a button of a message. */
export interface Click {
  action: 'approve' | 'reject'
  notificationId: string
  /** Slack's time of the click, which identifies it. */
  at: string
  slackUser: string
  /** Position of the message. */
  channel: string
}

/** Undefined for anything else, such as a click on a link, which needs no answer. */
export function readClick(body: string): Click | undefined {
  const payload = parse(new URLSearchParams(body).get('payload') ?? '')
  const [action] = Array.isArray(payload.actions) ? payload.actions : []
  const { action_id: name, value, action_ts: at } = fieldsOf(action)
  const click = {
    action: name,
    notificationId: value,
    at,
    slackUser: fieldsOf(payload.user)['id'],
    channel: fieldsOf(payload.channel)['id'] ?? fieldsOf(payload.container)['channel_id'],
  }
  const isWhole = Object.values(click).every(
    (field) => typeof field === 'string' && field.length <= 200,
  )
  const isAnswer = name === 'approve' || name === 'reject'
  return payload.type === 'block_actions' && isWhole && isAnswer ? (click as Click) : undefined
}

type Fields = Record<string, unknown>

function parse(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
