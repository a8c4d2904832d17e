import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schema as DocumentSchema } from './fuzz/document.ts'
import { fixture, prepare } from './fixture.ts'
import { startTestApp } from './test-app.ts'
import { fillPath, World } from './world.ts'

/**
 * Tries every limit of every request body in the OpenAPI document: at the limit, one below and one
 * above. The error must name the field and the limit.
 */
interface Schema extends Omit<DocumentSchema, 'properties' | 'items'> {
  properties?: Record<string, Schema>
  items?: Schema
  description?: string
  examples?: unknown[]
}
interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { schema: Schema }> }
  parameters?: { $ref?: string; name: string; in: string; schema: Schema; description?: string }[]
}

const app = fixture(() => startTestApp({ role: 'api' }))
let document: {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
let world: World
let runId: string

prepare(async () => {
  document = (await app.call('GET', '/openapi.json', { key: null })).body
  world = new World(app, { without: ['/v1/fine-tunes'] })
  await world.all()
  runId = (await world.first('/v1/runs/:id'))[0] ?? ''
})

function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  return resolve(document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema)
}

/** The smallest valid value of a schema; models and addresses need a real one. */
function smallest(schema: Schema, name = ''): unknown {
  const { type, properties = {}, required = [], items, enum: words, ...rest } = resolve(schema)
  if (words !== undefined) return words[0]
  switch ([type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        required.map((key) => [key, smallest(properties[key] as Schema, key)]),
      )
    case 'array':
      return Array.from({ length: rest.minItems ?? 0 }, () => smallest(items as Schema))
    case 'string':
      if (name === 'model') return 'test/echo'
      if (name === 'email') return 'a@b.co'
      if (name === 'action') return '*'
      return name === 'url' ? 'https://127.0.0.1:9/' : 'a'.repeat(rest.minLength ?? 0)
    case 'boolean':
      return true
    default:
      return rest.minimum ?? (rest.exclusiveMinimum ?? 0) + 1
  }
}

interface Case {
  name: string
  value: unknown
  isAccepted: boolean
  /** Text that the error must contain. */
  bound?: string
}

function casesOf(schema: Schema): Case[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, exclusiveMinimum, items } =
    schema
  // Patterns of fields with limits: an email address, and `<connector>.<action>`.
  const { pattern = '' } = schema
  const starts = { '@': 'é@é.', '}:': `${'k'.repeat(40)}:`, '\\.': 'é.' }
  const [, start = ''] = Object.entries(starts).find(([part]) => pattern.includes(part)) ?? []
  const letter = /\\x7e|A-Za-z0-9|a-z0-9_/.test(pattern) ? 'a' : 'é'
  // The labels of a domain have limits of their own.
  const rest = pattern.includes('@') ? `${letter.repeat(50)}.` : letter
  const text = (length: number) => start.padEnd(length, rest)
  const { pattern: itemPattern } = items ?? {}
  const examples = { '@': 'a@b.c', '}:': 'a:b', 'a-z0-9_': 'a_b' }
  const [, patterned = 'a.b'] =
    Object.entries(examples).find(([part]) => itemPattern?.includes(part)) ?? []
  const list = (length: number) =>
    Array.from({ length }, () =>
      itemPattern === undefined ? smallest(items as Schema) : patterned,
    )
  const of = (name: string, value: unknown, isAccepted: boolean, bound?: number): Case => ({
    name: `${name} of ${bound}`,
    value,
    isAccepted,
    bound: String(bound),
  })
  const cases: Case[] = []
  const both = (
    name: string,
    bound: number | undefined,
    direction: 1 | -1,
    make: (n: number) => unknown,
  ) => {
    if (bound === undefined) return
    const isFraction = name.endsWith('imum') && [schema.type].flat()[0] === 'number'
    const step = direction * (isFraction ? 1e-9 : 1)
    if (bound - step >= 0 || step === 1) cases.push(of(name, make(bound - step), false, bound))
    cases.push(of(name, make(bound), true, bound), of(name, make(bound + step), true, bound))
  }
  both('minLength', minLength, 1, text)
  both('maxLength', maxLength, -1, text)
  both('minItems', minItems, 1, list)
  both('maxItems', maxItems, -1, list)
  both('minimum', minimum, 1, (n) => n)
  both('maximum', maximum, -1, (n) => n)
  if (exclusiveMinimum !== undefined) {
    cases.push(of('exclusiveMinimum', exclusiveMinimum, false, exclusiveMinimum))
    cases.push(of('exclusiveMinimum', exclusiveMinimum + 1e-9, true, exclusiveMinimum))
  }
  return cases
}

/** Every field of a schema with its path, and a body that sets it. */
function* fieldsOf(
  root: Schema,
  path: (string | number)[] = [],
): Generator<{ path: (string | number)[]; schema: Schema }> {
  const schema = resolve(root)
  if (path.length > 0) yield { path, schema }
  for (const [key, child] of Object.entries(schema.properties ?? {}))
    yield* fieldsOf(child, [...path, key])
  if (schema.items !== undefined) yield* fieldsOf(schema.items, [...path, 0])
}

function withValue(root: Schema, path: (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const schema = resolve(root)
  if (typeof key === 'number') return [withValue(schema.items as Schema, rest, value)]
  const base = smallest(schema) as Record<string, unknown>
  return { ...base, [key]: withValue(schema.properties?.[key] as Schema, rest, value) }
}

function toParam(path: (string | number)[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`,
    '',
  )
}

/** Errors about names that do not exist, which are not about length. */
const namesWhatIsNot =
  /^(unknown_\w+|invalid_(url|link|credentials|cron|expression|schema)|too_many_(channels|mailboxes|rules|webhooks|sign_ins)|run_not_(waiting|at_rest)|lease_lost|tool_call_answered|user_(required|exists)|name_taken)$/

/** One of two fields is required, which the schema cannot express. */
function withRequired(operationId: string, body: object): object {
  if (['runs.create', 'threads.send'].includes(operationId)) return { input: 'x', ...body }
  if (operationId === 'schedules.preview_new' && !('cron' in body))
    return { every_seconds: 60, ...body }
  if (operationId === 'channels.create') {
    const isSlack = ['token', 'signing_secret', 'slack_channel'].some((name) => name in body)
    const slack = { token: 'x', slack_channel: 'x', ...body, kind: 'slack' }
    return isSlack ? slack : { recipients: ['ada@example.com'], ...body }
  }
  const { tools } = body as { tools?: { name: string }[] }
  // Two tools of an agent may not have the same name.
  if (tools !== undefined && tools.length > 1 && operationId.startsWith('agents.'))
    return { ...body, tools: tools.map((tool, at) => ({ ...tool, name: `${tool.name}${at}` })) }
  if (operationId === 'tool_calls.result' && !('error' in body)) return { output: 1, ...body }
  if (operationId === 'bulk_operations.create') return { dry_run: true, ...body }
  const { human_in_the_loop: people } = body as { human_in_the_loop?: object }
  if (people !== undefined && 'escalate_after_minutes' in people) {
    return { ...body, human_in_the_loop: { escalate_to: { roles: ['admin'] }, ...people } }
  }
  if (operationId === 'hooks.preview' && 'delivery_id' in body)
    return { hook_id: 'hook_x', ...body }
  if (operationId === 'mailboxes.update') return { password: 'x', ...body }
  if (operationId === 'budgets.create' && 'scope_value' in body)
    return { ...body, scope: 'workflow' }
  if (operationId === 'runs.respond' && !('decisions' in body))
    return { action: 'approve', ...body }
  if (operationId === 'rules.test')
    return { action: 'email.send', ...('order' in body && { workflow_id: 'wf_x' }), ...body }
  if (operationId !== 'batches.create') return body
  const items = 'files' in body ? {} : { items: [{}] }
  return { input: 'x', dry_run: true, ...items, ...body }
}

async function toUrl(path: string): Promise<string> {
  // Users, sessions and grants are not changed here.
  const isOther = !path.includes('{') || /^\/v1\/(users|sessions|me|fine-tunes)/.test(path)
  const stores = path.startsWith('/v1/connectors/') && !path.endsWith('/authorize')
  if (stores) return fillPath(path, ['crm'])
  return fillPath(path, isOther ? [runId] : [...(await world.first(path)), '0'])
}

describe('every bound of the document', () => {
  it('holds for bodies: at it, one below and one above', async () => {
    let tried = 0
    const faults: string[] = []
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const root = operation.requestBody?.content['application/json']?.schema
        if (root === undefined) continue
        const url = await toUrl(path)
        for (const field of fieldsOf(root)) {
          // The existing channel is of kind email, and rejects Slack's fields.
          const isOfSlack = /^(token|signing_secret|slack_channel)$/.test(String(field.path[0]))
          if (operation.operationId === 'channels.update' && isOfSlack) continue
          // Training data is limited in bytes, which its own tests try.
          if (field.path[0] === 'training_data') continue
          for (const one of casesOf(field.schema)) {
            const given = withValue(root, field.path, one.value) as object
            const body = withRequired(operation.operationId, given)
            const answer = await app.call(method.toUpperCase(), url, { body })
            const label = `${operation.operationId}: ${toParam(field.path)} ${one.name}`
            tried++
            const { code, param = '', message = '' } = answer.body.error ?? {}
            const isPassed = one.isAccepted
              ? answer.status < 300 ||
                namesWhatIsNot.test(code) ||
                (toParam(field.path).endsWith('_id') && answer.status === 404) ||
                // No connector is connected.
                (path.startsWith('/v1/connectors/') && answer.status === 404) ||
                // Without a mail server, passwords cannot be reset.
                (/^\/v1\/(users\/|password-resets$)/.test(path) && answer.status === 404)
              : answer.status === 400 &&
                param === toParam(field.path) &&
                message.includes(one.bound ?? '')
            if (!isPassed) faults.push(`${label}: ${answer.status} ${param} ${message}`)
          }
        }
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(tried > 80, `only ${tried} bounds found`)
  })

  it('holds for query parameters', async () => {
    let tried = 0
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const parameter of methods['get']?.parameters ?? []) {
        if (parameter.in !== 'query') continue
        // The events of an open run are an endless stream; no version has the largest number.
        const isAbsent = /^\/v1\/(runs|fine-tunes)\/|\/versions\//.test(path)
        const url = isAbsent ? fillPath(path, ['run_x']) : await toUrl(path)
        for (const one of casesOf(parameter.schema)) {
          const query = [one.value].flat().map((value) => `${parameter.name}=${String(value)}`)
          const address = new URL(`${url}?${query.join('&')}`, app.url)
          // Answered with 431 before the query is read.
          if (address.href.length > 16_384) continue
          const { status } = await app.call('GET', `${url}?${query.join('&')}`)
          tried++
          if (one.isAccepted) {
            const isOtherReason = parameter.name === 'after' || isAbsent || !path.includes('{')
            assert.ok(
              status === 200 || isOtherReason,
              `${path} ${parameter.name} ${one.name}: ${status}`,
            )
          } else assert.equal(status, 400, `${path} ${parameter.name} ${one.name}`)
        }
      }
    }
    assert.ok(tried > 5)
  })

  it('comes with a description of every field and operation', () => {
    const missing: string[] = []
    const walk = (schema: Schema, place: string) => {
      if (schema.$ref !== undefined) return
      if (schema.description === undefined) missing.push(place)
      for (const [key, child] of Object.entries(schema.properties ?? {}))
        walk(child, `${place}.${key}`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name)
    for (const methods of Object.values(document.paths)) {
      for (const { operationId, parameters = [] } of Object.values(methods)) {
        // Shared parameters are in `components`.
        for (const { name, description, schema } of parameters.filter(({ $ref }) => !$ref)) {
          if ((description ?? schema.description) === undefined)
            missing.push(`${operationId} ${name}`)
        }
      }
    }
    assert.deepEqual(missing, [])
  })
})

describe('every body of the document', () => {
  it('has an example that works as it is', async () => {
    const worked: string[] = []
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
        const schema = requestBody?.content['application/json']?.schema
        if (schema === undefined) continue
        const body = resolve(schema).examples?.[0]
        assert.ok(body !== undefined, `${operationId} has no example`)
        const answer = await app.call(method.toUpperCase(), await toUrl(path), { body })
        const { code, type } = answer.body.error ?? {}
        const isRefused = type === 'invalid_request' && !namesWhatIsNot.test(code)
        assert.ok(!isRefused, `${operationId}: ${JSON.stringify(answer.body)}`)
        if (answer.status < 300) worked.push(operationId)
      }
    }
    assert.ok(worked.length > 10, String(worked))
  })
})
