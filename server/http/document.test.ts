import assert from 'node:assert/strict'
import { it } from 'node:test'
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
    components: { schemas: { Error: { properties: { error: { properties: Words } } } } }
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
  const { type, code } = document.components.schemas.Error.properties.error.properties
  assert.ok(type.enum.includes('conflict') && code.enum.includes('workflow_paused'))
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses, description }] of Object.entries(methods)) {
      assert.ok((description ?? '').length > 10, `${method} ${path} has a description`)
      assert.ok(!('4XX' in responses) && !('5XX' in responses), path)
    }
  }
})

it('says which of several schemas a value has, where a field tells', async () => {
  const { components } = (await openApiDocument()) as never as {
    components: { schemas: Record<string, Record<string, unknown>> }
  }
  const event = components.schemas['AccountEvent'] ?? {}
  assert.deepEqual((event['oneOf'] as object[]).length, 2)
  assert.equal(event['anyOf'], undefined)
  assert.equal((event['discriminator'] as { propertyName: string }).propertyName, 'type')
})

interface Documented {
  description?: string
  parameters?: { $ref?: string }[]
  responses: Record<string, { headers?: object }>
}

interface Words {
  type: { enum: string[] }
  code: { enum: string[] }
}
