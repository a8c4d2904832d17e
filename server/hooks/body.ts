import { isDeeperThan, maxDepth } from '../json-limits.ts'

/**
 * The body of an event for templates and filters: the JSON value, the fields of a form, or the
 * text. If a form's field `payload` is JSON, that is the body: Slack and GitHub send such forms.
 */
export function parseBody(bytes: Uint8Array, contentType: string): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return parseForm(text)
  return parseJson(text) ?? text
}

/** Why a body is too deep for templates; undefined if it is not. */
export function refuseBody(body: unknown): string | undefined {
  return isDeeperThan(body, maxDepth)
    ? `the body is nested more than ${maxDepth} levels deep`
    : undefined
}

const maxFields = 1_000

function parseForm(text: string): unknown {
  const fields = [...new URLSearchParams(text)].slice(0, maxFields)
  const form = Object.fromEntries(fields)
  const payload = form['payload'] === undefined ? undefined : parseJson(form['payload'])
  return typeof payload === 'object' && payload !== null ? payload : form
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
