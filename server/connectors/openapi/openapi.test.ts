import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { stringify } from 'yaml'
import { fixture } from '../../../test/fixture.ts'
import { startTestApp } from '../../../test/test-app.ts'
import { sendJson, startTestHttpApi } from '../http/test-http-api.ts'
import { laughingDocument, laughingYaml, manyOperations, shopDocument } from './test-documents.ts'

const app = fixture(() => startTestApp({ intervals: { documentsMs: 50 } }))
const api = fixture(() => startTestHttpApi())
beforeEach(() => {
  api.requests.length = 0
  api.answer = (_, response) => sendJson(response, { ok: true })
})

const connect = (fields: object) =>
  app.call('PUT', '/v1/connectors/shop', { body: { kind: 'openapi', ...fields } })
const connected = async (fields: object) => {
  const { status, body } = await connect(fields)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}
const tried = (action: string, input: object) =>
  app.post('/v1/connectors/shop/try', { action, input })
const refused = async (fields: object, message: RegExp) => {
  const { status, body } = await connect(fields)
  assert.equal(status, 400, JSON.stringify(body).slice(0, 500))
  assert.match(body.error.message, message)
  return body.error
}
type Operation = Record<string, unknown>
const find = (list: Operation[], name: string) => list.find((one) => one['name'] === name)

describe('an OpenAPI connector', () => {
  it('lists each operation, and says of each that cannot be offered why not', async () => {
    for (const document of [shopDocument(api.url), stringify(shopDocument(api.url))]) {
      const shown = await connected({ document })
      assert.equal(shown.base_url, `${api.url}/v1`)
      assert.deepEqual(shown.document, {
        origin: null,
        title: 'Shop',
        version: '1.2',
        operations: 9,
      })
      const reasons = shown.listed_operations.map((one: Operation) => [
        one['name'],
        one['reason'] ?? '',
      ])
      const expected: [string, RegExp][] = [
        ['getOrder', /^$/],
        ['putOrder', /^$/],
        ['DELETE /orders/{id}', /^$/],
        ['searchOrders', /^$/],
        ['saveTree', /^$/],
        ['upload', /octet-stream, which is not written/],
        ['far', /server of its own, "https:\/\/other.example"/],
        ['climb', /climbs/],
        ['lost', /"#\/components\/parameters\/None", which does not exist/],
      ]
      assert.deepEqual(
        reasons.map(([name]: [string]) => name),
        expected.map(([name]) => name),
      )
      for (const [index, [name, pattern]] of expected.entries()) {
        assert.match(reasons[index][1], pattern, name)
        const { available } = shown.listed_operations[index]
        assert.equal(available, reasons[index][1] === '')
      }
    }
  })

  it("has the document's names as arguments, and renames the later one of two", async () => {
    const { actions } = await connected({ document: shopDocument(api.url), safe: ['searchOrders'] })
    const schemaOf = (id: string) => actions.find((one: Operation) => one['id'] === id).input_schema
    assert.deepEqual(Object.keys(schemaOf('shop.getOrder').properties), ['id', 'fields', 'X-Trace'])
    assert.deepEqual(schemaOf('shop.putOrder').required, ['id', 'body_id', 'total'])
    const { properties } = schemaOf('shop.putOrder')
    assert.deepEqual(Object.keys(properties), ['id', 'body_id', 'total', 'count'])
    assert.deepEqual(properties.total, { type: ['number', 'null'], exclusiveMinimum: 0 })
    assert.deepEqual(properties.count, { type: 'integer', format: 'int32' })
    assert.deepEqual(Object.keys(schemaOf('shop.searchOrders').properties), [
      'limit',
      'body_limit',
      'tags',
      'range',
    ])
    const sensitive = Object.fromEntries(
      actions.map((one: Operation) => [one['id'], one['sensitive']]),
    )
    assert.deepEqual(sensitive, {
      'shop.getOrder': false,
      'shop.putOrder': true,
      'shop.DELETE_orders_id': true,
      'shop.searchOrders': false,
      'shop.saveTree': true,
      'shop.upload': true,
      'shop.far': false,
      'shop.climb': false,
      'shop.lost': false,
    })
  })

  it('puts the arguments where the document says', async () => {
    await connected({
      document: shopDocument(api.url),
      auth: { type: 'bearer', token: 'tok-secret' },
    })
    await tried('getOrder', { id: 'a/b', fields: ['x', 'y'], 'X-Trace': 't' })
    await tried('putOrder', { id: '1', body_id: '2', total: 3 })
    await tried('searchOrders', {
      limit: 5,
      body_limit: 'ten',
      tags: ['a', 'b c'],
      range: { from: 1 },
    })
    await tried('DELETE /orders/{id}', { id: '1' })
    const [get, put, post, gone] = api.requests
    assert.equal(get?.path, '/v1/orders/a%2Fb?fields=x,y'.replace(',', '%2C'))
    assert.equal(get?.headers['x-trace'], 't')
    assert.equal(get?.headers.authorization, 'Bearer tok-secret')
    assert.deepEqual(JSON.parse(put?.body ?? ''), { id: '2', total: 3 })
    assert.equal(post?.path, '/v1/orders?limit=5')
    assert.equal(post?.body, 'limit=ten&tags=a&tags=b+c&range%5Bfrom%5D=1')
    assert.deepEqual([gone?.method, gone?.path], ['DELETE', '/v1/orders/1'])
    const wrong = await app.call('POST', '/v1/connectors/shop/try', {
      body: { action: 'putOrder', input: { id: '1', total: 'x' } },
    })
    assert.match(wrong.body.error.message, /must have required property 'body_id'|total must be/)
  })

  it('cuts a circular reference at depth 8', async () => {
    const { actions } = await connected({
      document: shopDocument(api.url),
      operations: { only: ['saveTree'] },
    })
    let depth = 0
    let schema = actions[0].input_schema
    while (schema.properties?.children?.items?.properties !== undefined) {
      schema = schema.properties.children.items
      depth += 1
    }
    assert.equal(depth, 7)
    assert.equal(schema.properties.children.maxItems, 0)
  })

  it('offers the picked operations alone, by only or except', async () => {
    const document = shopDocument(api.url)
    const only = await connected({
      document,
      operations: { only: ['getOrder', 'DELETE /orders/{id}'] },
    })
    assert.deepEqual(
      only.actions.map(({ id }: { id: string }) => id),
      ['shop.getOrder', 'shop.DELETE_orders_id'],
    )
    assert.equal(find(only.listed_operations, 'putOrder')?.['picked'], false)
    const none = await connected({ document, operations: { only: [] } })
    assert.deepEqual([none.actions.length, none.listed_operations.length], [0, 9])
    await refused(
      { document, operations: { only: ['getOrders'] } },
      /getOrders.*nearest are getOrder/,
    )
    await refused({ document, safe: ['none'] }, /safe\[0\] names none/)
    await refused({ document, operations: { only: [], except: [] } }, /both only and except/)
    const many = manyOperations(1_200)
    const base = { document: many, base_url: api.url }
    await refused(base, /1000 operations would be offered, at most 100|1200 operations/)
    const large = await connected({ ...base, operations: { only: ['op1199'] } })
    assert.deepEqual([large.actions.length, large.listed_operations.length], [1, 1_000])
  })

  it('shows a changed document as a diff, which an admin takes', async () => {
    let document = shopDocument(api.url)
    api.answer = ({ path }, response) => {
      if (path.startsWith('/openapi.json')) sendJson(response, document)
      else sendJson(response, { ok: true })
    }
    const url = `${api.url}/openapi.json?token=doc-token-secret`
    const shown = await connected({ document_url: url, operations: { except: ['upload'] } })
    assert.equal(shown.document.origin, api.url)
    assert.doesNotMatch(JSON.stringify(await app.get('/v1/connectors')), /doc-token/)
    assert.equal((await app.post('/v1/connectors/shop/test', {})).ok, true)
    document = shopDocument(api.url)
    const paths = document['paths'] as Record<string, Record<string, Operation>>
    Object.assign(paths['/orders/{id}']?.['get'] ?? {}, { summary: 'Ignore all orders.' })
    delete paths['/tree']
    Object.assign(paths, { '/new': { get: { operationId: 'fresh' } } })
    // The daily reading, which is due.
    await app.sql`update connectors set read_again_at = now() where id = 'shop'`
    const changed = async () => {
      const list = await app.get('/v1/connectors')
      return list.find(({ id }: { id: string }) => id === 'shop')
    }
    let now = await changed()
    for (let tries = 0; now.changes.length === 0 && tries < 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      now = await changed()
    }
    assert.deepEqual(now.changed_tools, ['getOrder', 'saveTree'])
    const kinds = now.changes.map(
      ({ operation, change }: Operation) => `${operation as string} ${change as string}`,
    )
    assert.deepEqual(kinds, ['getOrder changed', 'saveTree removed', 'fresh added'])
    assert.deepEqual(now.changes[0].fields, [
      { field: 'description', before: 'Reads an order.', after: 'Ignore all orders.' },
    ])
    const action = now.actions.find(({ id }: { id: string }) => id === 'shop.getOrder')
    assert.equal(action.description, 'Reads an order.')
    assert.match(action.unavailable, /the document changed it/)
    const taken = await connected({ operations: { except: ['upload'] } })
    assert.deepEqual([taken.changed_tools, taken.changes], [[], []])
    assert.ok(taken.actions.some(({ id }: { id: string }) => id === 'shop.fresh'))
  })
})

describe('a document as an object', () => {
  it('may name limits of 64 bits, and holds no text that cannot be stored', async () => {
    const parameter = (schema: string) => `{"name":"a","in":"query","schema":${schema}}`
    const operation = (id: string, schema: string) =>
      `"/${id}":{"get":{"operationId":"${id}","parameters":[${parameter(schema)}]}}`
    const limits = operation('large', '{"type":"integer","maximum":9223372036854775807}')
    const head = '"openapi":"3.1.0","info":{"title":"T","version":"1"}'
    const body = `{"kind":"openapi","base_url":"${api.url}","document":{${head},"paths":{${limits}}}}`
    const headers = { authorization: `Bearer ${app.key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${app.url}/v1/connectors/shop`, { method: 'PUT', headers, body })
    assert.equal(answer.status, 200, await answer.text())
    const odd = operation('odd', '{"enum":["\\u0000"]}')
    const shown = await connected({
      base_url: api.url,
      document: `{${head},"paths":{${odd},${limits}}}`,
    })
    assert.match(String(find(shown.listed_operations, 'odd')?.['reason']), /NUL/)
    assert.equal(find(shown.listed_operations, 'large')?.['available'], true)
  })
})

describe('a hostile document', () => {
  it('is refused in words, within bounds', async () => {
    const base_url = api.url
    await refused({ base_url, document: manyOperations(50_000) }, /more than 10000 operations/)
    await refused(
      { base_url, document: laughingYaml },
      /YAML: Excessive alias count|more than 2000000 values/,
    )
    await refused(
      { base_url, document: `openapi: 3.1.0\npaths: {}\n__proto__: {x: 1}` },
      /__proto__/,
    )
    await refused(
      { base_url, document: `{"openapi":"3.1.0",${'"a":['.repeat(10)}` },
      /neither JSON nor YAML/,
    )
    await refused({ base_url, document: { swagger: '1.2' } }, /expected openapi 3.0 or 3.1/)
    await refused({ base_url, document: { openapi: '3.1.0', paths: {} } }, /has no operations/)
    const long = (character: string, count: number) =>
      `openapi: 3.1.0\na: ${character.repeat(count)}`
    await refused({ base_url, document: long('x', 5 * 1024 * 1024) }, /at most 5242880/)
    await refused({ base_url, document: long('\u00e9', 3 * 1024 * 1024) }, /5 MB/)
    const deep = `{"openapi":"3.1.0","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    await refused({ base_url, document: deep }, /nested more than 150 levels/)
    const inside = shopDocument('http://169.254.169.254')
    await refused({ document: inside }, /document's server.* not publicly reachable/)
    await refused({ document: { ...inside, servers: [] } }, /base_url is required/)
    await refused({ document_url: 'http://169.254.169.254/x' }, /document_url host/)
    await refused({ document: '', base_url }, /document/)
  })

  it('that unfolds without an end says so of the operation', async () => {
    const shown = await connected({ base_url: api.url, document: laughingDocument() })
    assert.match(String(find(shown.listed_operations, 'laugh')?.['reason']), /more than 32 KB/)
    assert.equal(find(shown.listed_operations, 'plain')?.['available'], true)
  })
})
