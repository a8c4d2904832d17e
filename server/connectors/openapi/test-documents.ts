/** For tests only: a small document with every kind of place, and hostile ones. */
export function shopDocument(url: string, more: object = {}): Record<string, unknown> {
  return {
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1.2' },
    servers: [{ url: `${url}/v1` }],
    paths: {
      '/orders/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: {
          operationId: 'getOrder',
          summary: 'Reads an order.',
          parameters: [
            {
              name: 'fields',
              in: 'query',
              explode: false,
              schema: { type: 'array', items: { type: 'string' } },
            },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
            { name: 'Authorization', in: 'header', schema: { type: 'string' } },
          ],
        },
        put: {
          operationId: 'putOrder',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
          },
        },
        delete: {},
      },
      '/orders': {
        post: {
          operationId: 'searchOrders',
          description: 'Finds orders.',
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } }],
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                schema: {
                  type: 'object',
                  properties: {
                    limit: { type: 'string' },
                    tags: { type: 'array', items: { type: 'string' } },
                    range: { type: 'object', properties: { from: { type: 'integer' } } },
                  },
                },
                encoding: { range: { style: 'deepObject', explode: true } },
              },
            },
          },
        },
      },
      '/tree': {
        post: {
          operationId: 'saveTree',
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } },
          },
        },
      },
      '/upload': {
        post: {
          operationId: 'upload',
          requestBody: {
            content: {
              'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
            },
          },
        },
        servers: [{ url: `${url}/v1/` }],
      },
      '/far': { get: { operationId: 'far', servers: [{ url: 'https://other.example' }] } },
      '/a/../b': { get: { operationId: 'climb' } },
      '/lost': {
        get: { operationId: 'lost', parameters: [{ $ref: '#/components/parameters/None' }] },
      },
    },
    components: {
      schemas: {
        Order: {
          type: 'object',
          required: ['id', 'total', 'state'],
          properties: {
            id: { type: 'string', description: 'Its number.' },
            state: { type: 'string', readOnly: true },
            total: { type: 'number', nullable: true, minimum: 0, exclusiveMinimum: true },
            count: { type: 'number', format: 'int32' },
          },
        },
        Node: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
          },
        },
      },
    },
    ...more,
  }
}

/** References that would unfold to more parts than there are atoms. */
export function laughingDocument(): Record<string, unknown> {
  const schemas = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `L${level}`,
      {
        type: 'object',
        properties: Object.fromEntries(
          'abcdefghij'
            .split('')
            .map((key) => [key, { $ref: `#/components/schemas/L${level + 1}` }]),
        ),
      },
    ]),
  )
  return {
    openapi: '3.1.0',
    info: { title: 'Laughs', version: '1' },
    paths: {
      '/a': {
        post: {
          operationId: 'laugh',
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/L0' } } },
          },
        },
        get: { operationId: 'plain' },
      },
    },
    components: { schemas: { ...schemas, L40: { type: 'string' } } },
  }
}

/** The same by aliases of YAML. */
export const laughingYaml = [
  'openapi: 3.1.0',
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'
    .split('')
    .map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`),
].join('\n')

export function manyOperations(count: number): Record<string, unknown> {
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`/p${at}`, { get: { operationId: `op${at}` } }]),
  )
  return { openapi: '3.1.0', info: { title: 'Many', version: '1' }, paths }
}
