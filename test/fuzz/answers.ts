import assert from 'node:assert/strict'
import { Ajv, type ValidateFunction } from 'ajv'
import type { Dispatcher } from 'undici'
import type { Document } from './document.ts'
import type { Shot } from './requests.ts'
import { slackToken } from '../world.ts'
import { canary } from './ground.ts'

/** Requirements for every response, whatever the request was. */
export interface Checked {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  body: any
}

export type Send = (shot: Shot) => Promise<Checked>

/** Limit for every request. */
const patienceMs = 10_000

export function createSender(
  document: Document,
  url: string,
  client: Dispatcher,
  neighbourKey: string,
): Send {
  const ajv = new Ajv({ strict: false, allErrors: true })
    .addFormat('date-time', isDateTime)
    .addFormat('date', /^\d{4}-\d\d-\d\d$/)
    .addFormat('uri', (text) => URL.canParse(text))
    .addFormat('int64', { type: 'number', validate: Number.isSafeInteger })
    .addFormat('double', { type: 'number', validate: Number.isFinite })
  for (const [name, schema] of Object.entries(document.schemas)) {
    ajv.addSchema(closed(schema) as object, `#/components/schemas/${name}`)
  }
  const compiled = new Map<unknown, ValidateFunction>()
  const assertFits = (schema: unknown, value: unknown, label: string): void => {
    const known = compiled.get(schema)
    const validate = known ?? ajv.compile(closed(schema) as object)
    compiled.set(schema, validate)
    assert.ok(validate(value), `${label}: ${ajv.errorsText(validate.errors)}`)
  }

  return async (shot) => {
    const operation = document.operations.find((one) => one.operationId === shot.operationId)
    const ends = AbortSignal.timeout(patienceMs)
    const response = await client.request({
      origin: url,
      path: shot.path,
      method: shot.method,
      headers: shot.headers,
      body: shot.body ?? null,
      signal: ends,
    })
    const { statusCode: status, headers } = response
    const type = String(headers['content-type'] ?? '').split(';', 1)[0] as string
    const text =
      type === 'text/event-stream'
        ? await readSome(response, shot.operationId !== 'events.stream')
        : await response.body.text()

    // No provider for fine-tunes or sign-in is configured here.
    const isMissing =
      status === 503 && /"(provider_not_configured|identity_provider_unavailable)"/.test(text)
    assert.ok(status < 500 || isMissing, `${status}: ${text.slice(0, 500)}`)
    assert.match(String(headers['x-request-id'] ?? '(none)'), /^[\w.:-]{1,128}$/, 'X-Request-Id')
    assert.doesNotMatch(
      text,
      /node_modules|\.[jt]s:\d+|\\n\s+at |SQLSTATE|syntax error at|violates /,
    )
    if (!shot.headers['authorization']?.includes(neighbourKey)) {
      assert.ok(!text.includes(canary), 'texts of another account')
    }
    assert.ok(!text.includes(slackToken), 'a stored secret')

    const { responses = {} } = operation ?? {}
    const documented = responses[status] ?? responses[`${String(status)[0]}XX`]
    assert.ok(documented !== undefined, `status ${status} is not in the document`)
    const { content } = documented
    // Such as a redirect.
    if (content === undefined) {
      assert.equal(text, '', `${status} has a body`)
      return { status, body: undefined }
    }
    const schema = (content[type] ?? content['*/*'])?.schema
    assert.ok(schema !== undefined, `${status} with ${type} is not in the document`)
    if (type === 'text/event-stream') {
      for (const [, data] of text.matchAll(/^data: (.*)\n\n/gm)) {
        assertFits(schema, JSON.parse(data as string), 'an event')
      }
      return { status, body: undefined }
    }
    const body: unknown = type === 'application/json' ? JSON.parse(text) : text
    assertFits(schema, body, 'the body')
    return { status, body }
  }
}

/** The beginning of a stream; other tests check that it ends with its run. */
async function readSome({ body }: Dispatcher.ResponseData, hasEvents: boolean): Promise<string> {
  let text = ''
  for await (const chunk of body) {
    text += String(chunk)
    if (!hasEvents || text.includes('data: ') || text.length > 10) break
  }
  return text
}

/** The schema with every object closed, because a response must have no undocumented fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, item]) => [key, closed(item)]))
  const isOpen = 'properties' in inner && !('additionalProperties' in inner)
  return isOpen ? { ...inner, additionalProperties: false } : inner
}

function isDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)
}
