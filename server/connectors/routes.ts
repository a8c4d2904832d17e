import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { sendPart } from '../http/pagination.ts'
import { Answers, Deleted, IdParams, PageQuery, Ref } from '../http/schema.ts'
import { builtIns } from '../tools/built-ins.ts'
import { connectConnector } from './connect.ts'
import { disconnectConnector } from './disconnect.ts'
import { listConnectors } from './list.ts'
import * as schema from './schema.ts'
import { testConnector } from './test-connector.ts'

const tags = ['Connectors']
const params = IdParams('id', 'Connector id.')

export const connectorRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addSchema(schema.ConnectorAction).addSchema(schema.Connector).addSchema(schema.ConnectMcp)
  for (const { credentials } of builtIns) app.addSchema(credentials)
  app.addSchema(schema.ConnectConnector).addSchema(schema.ConnectorTest)

  app.get(
    '/v1/connectors',
    {
      config: { operation: 'connectors.list', action: 'list connectors' },
      schema: {
        operationId: 'connectors.list',
        summary: 'List connectors',
        description: 'All that come with Muster, then the MCP servers of the account by id.',
        tags,
        querystring: Type.Object(PageQuery),
        response: Answers(200, Type.Array(Ref(schema.Connector)), 'The connectors.'),
      },
    },
    async (request, reply) => {
      const connectors = await listConnectors(request.ctx)
      return { data: sendPart(request, reply, connectors, 'list connectors') }
    },
  )

  app.put(
    '/v1/connectors/:id',
    {
      config: { operation: 'connectors.connect', action: 'connect' },
      // The id says which schema holds, so the operation checks the body, and shows no secret.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'connectors.connect',
        summary: 'Connect a built-in connector or an MCP server',
        description:
          'Replaces what was stored. Credentials are encrypted and never come back. An MCP server is ' +
          'asked for its tools; doing so again accepts tools that changed.',
        tags,
        params,
        body: Ref(schema.ConnectConnector),
        response: Answers(200, Ref(schema.Connector), 'The connector.'),
      },
    },
    async (request) => ({
      data: await connectConnector(request.ctx, request.params.id, request.body),
    }),
  )

  app.post(
    '/v1/connectors/:id/test',
    {
      config: { operation: 'connectors.test', action: 'test connector' },
      schema: {
        operationId: 'connectors.test',
        summary: 'Test a connector',
        description: 'Logs in, sends nothing; of an MCP server it compares the tools.',
        tags,
        params,
        response: Answers(200, Ref(schema.ConnectorTest), 'What came of it.'),
      },
    },
    async (request) => ({ data: await testConnector(request.ctx, request.params.id) }),
  )

  app.delete(
    '/v1/connectors/:id',
    {
      config: { operation: 'connectors.disconnect', action: 'disconnect' },
      schema: {
        operationId: 'connectors.disconnect',
        summary: 'Disconnect a connector',
        description: 'Its credentials are removed. Agents keep their capabilities.',
        tags,
        params,
        response: Answers(200, Ref(Deleted), 'The connector is disconnected.'),
      },
    },
    async (request) => {
      await disconnectConnector(request.ctx, request.params.id)
      return { data: { id: request.params.id, deleted: true as const } }
    },
  )
}
