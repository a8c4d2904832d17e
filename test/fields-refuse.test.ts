import assert from 'node:assert/strict'
import { it } from 'node:test'
import { methodOf, pathOf, type Operation } from '../server/http/operation.ts'
import { resources } from '../server/start/routes.ts'
import { article } from '../server/validation-error.ts'
import { fixture, prepare } from './fixture.ts'
import { startTestApp } from './test-app.ts'
import { exampleOf, fillPath } from './world.ts'

/**
 * Walks through every field of every body and query: a value of another type, beyond a bound or of another form is
 * refused with the field's name and the bound, and so is a field that is not known.
 */
const app = fixture(() => startTestApp({ role: 'api' }))

interface Schema {
  $id?: string
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: unknown
}

interface Refusal {
  path: (string | number)[]
  value: unknown
  code: string
  /** How the message ends. */
  words: string | RegExp
}

const operations = resources().flatMap((one) => one.operations)
const named = new Map(
  resources().flatMap(({ schemas }) =>
    (Object.values(schemas) as Schema[]).map((schema) => [`${schema.$id}#`, schema]),
  ),
)
const resolve = (schema: Schema): Schema => named.get(schema.$ref ?? '') ?? schema

/** Longer texts would not fit into a body or an address. */
const longest = 20_000

/** Values that the schema refuses, not counting those of its parts. */
function refusalsOf(schema: Schema): Omit<Refusal, 'path'>[] {
  const types = [schema.type].flat()
  const { minLength = 0, maxLength = longest, pattern, format } = schema
  const { minimum, exclusiveMinimum, maximum, minItems = 0, maxItems = longest } = schema
  const isText = types.includes('string') && schema.enum === undefined
  const odd = ['!', ' ', 'a b', '\u00e9'.repeat(minLength)].find(
    (text) =>
      text.length >= minLength && pattern !== undefined && !new RegExp(pattern, 'u').test(text),
  )
  const found: (Omit<Refusal, 'path'> | false | undefined)[] = [
    schema.enum !== undefined && {
      value: 'none of them',
      code: 'invalid_value',
      words: /expected /,
    },
    isText &&
      maxLength < longest && {
        value: 'x'.repeat(maxLength + 1),
        code: 'string_too_long',
        words: `has ${maxLength + 1} characters, at most ${maxLength}`,
      },
    isText &&
      minLength > 0 && {
        value: 'x'.repeat(minLength - 1),
        code: 'string_too_short',
        words: `has ${minLength - 1} characters, at least ${minLength}`,
      },
    isText && odd !== undefined && { value: odd, code: 'invalid_format', words: /expected / },
    format === 'date-time' && { value: 'tomorrow', code: 'invalid_format', words: /expected / },
    maximum !== undefined && {
      value: maximum + 1,
      code: 'number_too_large',
      words: ` is ${maximum + 1}, at most ${maximum}`,
    },
    minimum !== undefined && {
      value: minimum - 1,
      code: 'number_too_small',
      words: ` is ${minimum - 1}, at least ${minimum}`,
    },
    exclusiveMinimum !== undefined && {
      value: exclusiveMinimum,
      code: 'number_too_small',
      words: ` is ${exclusiveMinimum}, more than ${exclusiveMinimum}`,
    },
    types.includes('array') &&
      maxItems < longest && {
        value: Array(maxItems + 1).fill(0),
        code: 'array_too_long',
        words: `has ${maxItems + 1} items, at most ${maxItems}`,
      },
    types.includes('array') &&
      minItems > 0 && {
        value: [],
        code: 'array_too_short',
        words: `has 0 items, at least ${minItems}`,
      },
  ]
  return found.filter((one) => one !== false && one !== undefined)
}

/** Of the body of an operation; `example` is the value at the path. */
function refusalsIn(given: Schema, example: unknown, path: Refusal['path'] = []): Refusal[] {
  const schema = resolve(given)
  const types = [schema.type].flat()
  const own = path.length === 0 ? [] : refusalsOf(schema).map((one) => ({ ...one, path }))
  if (path.length > 0 && schema.type !== undefined) {
    const [value, found] = types.includes('object') ? ['no object', 'string'] : [{}, 'object']
    const must = `${nameOf(path)} must be ${types.map((type) => article(type ?? '')).join(' or ')}, not`
    own.push({ path, value, code: 'invalid_type', words: `${must} ${article(found)}` })
    if (!types.includes('null')) {
      own.push({ path, value: null, code: 'invalid_type', words: `${must} null` })
    }
  }
  if (types.includes('array') && schema.items !== undefined) {
    return [
      ...own,
      ...refusalsIn(schema.items, (example as unknown[] | undefined)?.[0], [...path, 0]),
    ]
  }
  const { properties, required = [] } = schema
  // A part that the example does not have can be made up only if it needs no other fields.
  if (properties === undefined || (example === undefined && required.length > 0)) return own
  if (schema.additionalProperties === false) {
    const unknown = { value: 1, code: 'unknown_field', words: /is not a known field, / }
    own.push({ ...unknown, path: [...path, 'zzz_unknown'] })
  }
  const fields = (example ?? {}) as Record<string, unknown>
  return [
    ...own,
    ...required.map((name) => ({
      path: [...path, name],
      value: undefined,
      code: 'required',
      words: /is required/,
    })),
    ...Object.entries(properties).flatMap(([name, one]) =>
      refusalsIn(one, fields[name], [...path, name]),
    ),
  ]
}

/** A copy of the value with another one at the path. */
function withValue(whole: unknown, [first, ...rest]: Refusal['path'], value: unknown): unknown {
  if (first === undefined) return value
  const part = (whole as Record<string | number, unknown> | undefined)?.[first]
  const changed = withValue(part, rest, value)
  return typeof first === 'number' ? [changed] : { ...(whole as object), [first]: changed }
}

const nameOf = (path: Refusal['path']) =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1)

/** An absent id each, but for the items of a batch, which are read after its workflow. */
let workflowId: string
prepare(async () => {
  workflowId = await app.createWorkflow()
})
const pathFor = (one: Operation) =>
  fillPath(
    pathOf(one),
    one.id === 'batches.create' ? [workflowId] : Array(3).fill(`run_${'0'.repeat(26)}`),
  )

/** Sends the value; returns what is wrong with the answer, if anything. */
async function tryOne(
  one: Operation,
  { path, code, words }: Refusal,
  { query = '', body }: { query?: string; body: unknown },
): Promise<string | undefined> {
  const options = body === undefined ? {} : { body }
  const answer = await app.call(methodOf(one), pathFor(one) + query, options)
  const { error = { message: '' } } = answer.body
  const isRefused = answer.status === 400 && error.code === code && error.param === nameOf(path)
  const isSaid =
    typeof words === 'string' ? error.message.endsWith(words) : words.test(error.message)
  if (isRefused && isSaid) return undefined
  return `${one.id} ${nameOf(path)} ${code}: ${answer.status} ${JSON.stringify(error)}`
}

it('every field of every body is refused by name with another type, form or size', async () => {
  // A file comes as a multipart body, see server/files/files.test.ts.
  const bodies = operations.filter(
    ({ id, body }) => body !== undefined && 'properties' in body && id !== 'files.create',
  )
  assert.ok(bodies.length > 40)
  const wrong: (string | undefined)[] = []
  for (const one of bodies) {
    const example = exampleOf(one) ?? {}
    for (const refusal of refusalsIn(one.body as Schema, example)) {
      const { path, value, code } = refusal
      // Unknown fields of a change are compared with what is stored first, see test/read-back.test.ts.
      if (path.length === 1 && code === 'unknown_field' && methodOf(one) === 'PATCH') continue
      wrong.push(await tryOne(one, refusal, { body: withValue(example, path, value) }))
    }
  }
  assert.ok(wrong.length > 1_000, `${wrong.length} values`)
  assert.deepEqual(
    wrong.filter((text) => text !== undefined),
    [],
  )
})

it('every parameter of every query is refused by name with another type, form or size', async () => {
  const wrong: (string | undefined)[] = []
  // Signing in at a provider has no route without one, see server/people/sign-in-oidc.test.ts.
  for (const one of operations.filter(({ id }) => !id.startsWith('session.oidc'))) {
    for (const [name, given] of Object.entries((one.query ?? {}) as Record<string, Schema>)) {
      const schema = resolve(given)
      const isNumber = [schema.type].flat().some((type) => type === 'integer' || type === 'number')
      const refusals = refusalsOf(schema).filter(({ value }) => !Array.isArray(value))
      const words = /is "x", expected an? |must be an integer/
      if (isNumber) refusals.push({ value: 'x', code: 'invalid_type', words })
      for (const refusal of refusals) {
        const query = `?${name}=${encodeURIComponent(String(refusal.value))}`
        wrong.push(await tryOne(one, { ...refusal, path: [name] }, { query, body: exampleOf(one) }))
      }
    }
  }
  assert.ok(wrong.length > 100, `${wrong.length} values`)
  assert.deepEqual(
    wrong.filter((text) => text !== undefined),
    [],
  )
})
