import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import Type from 'typebox'
import { openApiDocument } from '../start/openapi-document.ts'
import { resources } from '../start/routes.ts'
import { Deleted, ErrorBody } from '../wire-types.ts'

it('the OpenAPI document passes a linter that others use', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'operation-tag-defined': 'error',
      'tag-description': 'error',
      'no-unused-components': 'error',
      // Two operations have a redirect as their only success.
      'operation-2xx-response': 'off',
    },
  })
  const source = JSON.stringify(await openApiDocument())
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location: [at] }) => `${ruleId} ${message} ${at?.pointer}`),
    [],
  )
})

it('every schema that a request is judged by is a valid one', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const shared = [
    ErrorBody,
    Deleted,
    ...resources().flatMap(({ schemas }) => Object.values(schemas)),
  ]
  for (const schema of shared as { $id?: string }[]) {
    if (typeof schema?.$id === 'string' && !(schema.$id in ajv.schemas)) ajv.addSchema(schema)
  }
  for (const { id, body, query = {}, headers = {} } of resources().flatMap(
    (one) => one.operations,
  )) {
    const schemas = [
      Type.Object(query),
      Type.Object(headers),
      ...(body === undefined ? [] : [body]),
    ]
    for (const schema of schemas) assert.doesNotThrow(() => ajv.compile(schema), id)
  }
})

it('says of each operation which statuses, headers and keys it has, by name', async () => {
  const document = (await openApiDocument()) as never as {
    paths: Record<string, Record<string, Documented>>
    components: { schemas: { ErrorBody: { properties: { error: { properties: Words } } } } }
  }
  const trigger = document.paths['/v1/workflows/{id}/runs']?.['post']
  assert.deepEqual(
    Object.keys(trigger?.responses ?? {}).map(Number),
    [202, 400, 401, 403, 404, 409, 413, 415, 422, 429, 431, 500, 503],
  )
  assert.ok('Idempotent-Replayed' in (trigger?.responses['202']?.headers ?? {}))
  assert.ok(trigger?.parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')))
  const list = document.paths['/v1/agents']?.['get']
  assert.ok('Link' in (list?.responses['200']?.headers ?? {}))
  const { type, code } = document.components.schemas.ErrorBody.properties.error.properties
  assert.ok(type.enum.includes('conflict') && code.enum.includes('workflow_paused'))
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses, description }] of Object.entries(methods)) {
      assert.ok((description ?? '').length > 10, `${method} ${path} has a description`)
      assert.ok(!('4XX' in responses) && !('5XX' in responses), path)
    }
  }
})

/** Unions whose alternatives no field tells apart, and what does. */
const withoutDiscriminator: Record<string, string> = {
  ConnectConnector: 'The connector in the path says which',
  BatchOrEstimate: 'The request says which',
}

describe('the schemas of the document', () => {
  it('say by a field which of several schemas a value has, or what else says so', async () => {
    const { at, all } = await readSchemas()
    const unions = all.filter(({ schema }) => alternativesOf(schema).length > 1)
    assert.ok(unions.some(({ name }) => name === 'AccountEvent'))
    for (const { name, schema } of unions) {
      const field = schema.discriminator?.propertyName
      const reason = withoutDiscriminator[name]
      if (field === undefined) {
        assert.ok(reason !== undefined, `${name} needs a discriminator`)
        assert.ok(schema.description?.includes(reason), name)
        continue
      }
      assert.ok(schema.oneOf, name)
      for (const one of alternativesOf(schema)) {
        const { properties = {}, required = [] } = at(one.$ref ?? '')
        assert.ok(properties[field]?.enum ?? properties[field]?.const, `${name} ${one.$ref}`)
        assert.ok(required.includes(field), `${name} ${one.$ref}`)
      }
    }
  })

  it('bound every text, number, list and map of a request', async () => {
    const { requests } = await readSchemas()
    assert.ok(requests.length > 300)
    const unbounded = requests.flatMap(({ name, schema }) =>
      missingBounds(schema).map((bound) => `${name} has no ${bound}`),
    )
    assert.deepEqual(unbounded, [])
  })

  it('give times, days, addresses and numbers their format', async () => {
    const { all } = await readSchemas()
    const formats: [field: RegExp, format: string | undefined][] = [
      [/(^|_)at$|_(before|after|since|until)$/, 'date-time'],
      [/(^|_)(url|link)$/, 'uri'],
      [/(^|_)(day|date)$/, 'date'],
    ]
    const wrong = all.flatMap(({ name, schema }) => {
      const field = name.split('.').at(-1) ?? ''
      const types = [schema.type].flat()
      const isText = types.includes('string') && schema.enum === undefined
      const expected = types.includes('integer')
        ? 'int64'
        : types.includes('number')
          ? 'double'
          : isText
            ? formats.find(([pattern]) => pattern.test(field))?.[1]
            : undefined
      return expected === undefined || schema.format === expected || schema.enum !== undefined
        ? []
        : [`${name} has the format ${schema.format}, expected ${expected}`]
    })
    assert.deepEqual(wrong, [])
  })
})

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  discriminator?: { propertyName: string }
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  propertyNames?: Schema
  items?: Schema
}

interface NamedSchema {
  /** The component or the operation, and the path within. */
  name: string
  schema: Schema
}

/** Alternatives that are objects or references; `null` beside a schema is none. */
function alternativesOf({ oneOf = [], anyOf = [] }: Schema): Schema[] {
  return [...oneOf, ...anyOf].filter((one) => one.$ref !== undefined || one.type === 'object')
}

function missingBounds(schema: Schema): string[] {
  const { minimum = schema.exclusiveMinimum, maximum = schema.exclusiveMaximum } = schema
  const { additionalProperties, propertyNames } = schema
  const types = [schema.type].flat()
  if (schema.enum !== undefined || schema.const !== undefined) return []
  const isAny = (...names: string[]): boolean => names.some((name) => types.includes(name))
  // A time has the length of its form, and the content of a file is no text.
  const isText = isAny('string') && !['date-time', 'binary'].includes(schema.format ?? '')
  const isNumber = isAny('integer', 'number')
  const isMap = typeof additionalProperties === 'object'
  const bounds: [name: string, isNeeded: boolean, value: number | undefined][] = [
    ['maxLength', isText, schema.maxLength],
    ['minimum', isNumber, minimum],
    ['maximum', isNumber, maximum],
    ['maxItems', isAny('array'), schema.maxItems],
    ['maxProperties', isMap, schema.maxProperties],
    ['propertyNames.maxLength', isMap, propertyNames?.maxLength],
  ]
  return bounds.flatMap(([name, isNeeded, value]) =>
    isNeeded && value === undefined ? [name] : [],
  )
}

/** All schemas of the document, and those that requests are judged by. */
async function readSchemas(): Promise<{
  at: (ref: string) => Schema
  all: NamedSchema[]
  requests: NamedSchema[]
}> {
  const { paths, components } = (await openApiDocument()) as never as {
    paths: Record<string, Record<string, DocumentedRequest>>
    components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
  }
  const { parameters: shared } = components
  const at = (ref: string): Schema => components.schemas[ref.split('/').at(-1) ?? ''] ?? {}
  const walk = (from: NamedSchema, seen: Set<string> | undefined): NamedSchema[] => {
    const { name, schema } = from
    const { $ref, properties = {}, items, additionalProperties, propertyNames } = schema
    if ($ref !== undefined) {
      const target = $ref.split('/').at(-1) ?? ''
      if (seen === undefined || seen.has(target)) return []
      seen.add(target)
      return walk({ name: target, schema: at($ref) }, seen)
    }
    const inner: [string, Schema][] = [
      ...Object.entries(properties).map(([field, one]) => [`.${field}`, one] as [string, Schema]),
      ...[...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].map(
        (one) => ['', one] as [string, Schema],
      ),
      ...(items === undefined ? [] : [['[]', items] as [string, Schema]]),
      ...(typeof additionalProperties === 'object'
        ? [['{}', additionalProperties] as [string, Schema]]
        : []),
      ...(propertyNames === undefined ? [] : [['{name}', propertyNames] as [string, Schema]]),
    ]
    return [from, ...inner.flatMap(([path, one]) => walk({ name: name + path, schema: one }, seen))]
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const seen = new Set<string>()
  const requests = operations.flatMap(({ operationId, parameters = [], requestBody }) => [
    ...parameters.flatMap(({ $ref = '', ...given }) => {
      const { name = '', schema } = shared[$ref.split('/').at(-1) ?? ''] ?? given
      return schema === undefined ? [] : walk({ name: `${operationId}.${name}`, schema }, seen)
    }),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema = {} }) =>
      walk({ name: operationId, schema }, seen),
    ),
  ])
  const named = Object.entries(components.schemas)
  const all = named.flatMap(([name, schema]) => walk({ name, schema }, undefined))
  const parameters = requests.filter(({ name }) => /^[a-z_]+\./.test(name))
  return { at, all: [...all, ...parameters], requests }
}

interface Parameter {
  $ref?: string
  name?: string
  schema?: Schema
}

interface DocumentedRequest {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
}

interface Documented {
  description?: string
  parameters?: { $ref?: string }[]
  responses: Record<string, { headers?: object }>
}

interface Words {
  type: { enum: string[] }
  code: { enum: string[] }
}
