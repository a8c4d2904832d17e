import { deleted, listInMemory, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { connectable } from './built-ins.ts'
import { connectConnector, disconnectConnector } from './connect.ts'
import { listConnectors } from './list.ts'
import * as schema from './schema.ts'
import { authorizeConnector } from './oauth/authorize.ts'
import * as oauth from './oauth/schema.ts'
import { addConnectorBody } from './http/body.ts'
import { tryAction } from './http/try-action.ts'
import { testConnector } from './try-connector.ts'

export const connectors: Resource = {
  tag: 'Connectors',
  about:
    'Connections through which agents act in other systems: built in, MCP servers, or HTTP APIs.',
  ids: { connectors: 'Connector id.' },
  schemas: [
    ...connectable.map(({ credentials }) => credentials),
    ...Object.values(schema),
    ...Object.values(oauth),
  ],
  setUp: addConnectorBody,
  operations: [
    operation({
      id: 'connectors.list',
      route: 'GET /v1/connectors',
      role: 'viewer',
      action: 'list connectors',
      summary: 'List connectors',
      description: "All built-in connectors, then the account's MCP servers and HTTP APIs by id.",
      answer: listInMemory(schema.Connector, 'The connectors.'),
      verb: ({ ctx }) => listConnectors(ctx),
    }),
    operation({
      id: 'connectors.connect',
      route: 'PUT /v1/connectors/:id',
      cli: { args: ['body'] },
      role: 'admin',
      audit: 'connector.connected',
      action: 'connect',
      summary: 'Connect a built-in connector, an MCP server or an HTTP API',
      description:
        'Replaces the stored values. Credentials are encrypted and never returned. An MCP server is asked for its ' +
        'tools, and an OpenAPI document is read; connecting again accepts what has changed.',
      body: schema.ConnectConnector,
      answer: ok(schema.Connector, 'The connector.'),
      // The schema depends on the id, so the operation validates the body itself, without showing
      // secrets.
      routeOptions: { validatorCompiler: () => () => true },
      verb: ({ ctx, params, body }) => connectConnector(ctx, params.id, body),
    }),
    operation({
      id: 'connectors.test',
      route: 'POST /v1/connectors/:id/test',
      role: 'admin',
      audit: 'connector.tested',
      action: 'test connector',
      summary: 'Test a connector',
      description:
        'Logs in without sending anything; for an MCP server, it compares the tools, and for an OpenAPI document with ' +
        'an address, the operations.',
      answer: ok(schema.ConnectorTest, 'The result of the test.'),
      verb: ({ ctx, params }) => testConnector(ctx, params.id),
    }),
    operation({
      id: 'connectors.authorize',
      route: 'POST /v1/connectors/:id/authorize',
      role: 'viewer',
      audit: 'connector.login_begun',
      action: 'log in',
      summary: 'Log in at an MCP server',
      description:
        "Begins a login by OAuth, which the person finishes in the same browser session. The account's login needs an " +
        'admin; with `credentials: person` everybody makes their own. API keys have no browser, so they cannot.',
      body: oauth.AuthorizeConnector,
      answer: ok(oauth.Authorization, 'The login has begun.'),
      verb: ({ ctx, params, body }) => authorizeConnector(ctx, params.id, body),
    }),
    operation({
      id: 'connectors.try',
      route: 'POST /v1/connectors/:id/try',
      cli: { args: ['action'] },
      role: 'admin',
      audit: 'connector.tried',
      action: 'try connector',
      summary: 'Call an action of an HTTP API once',
      description:
        'Calls the action as an agent would, without an approval: it has its effects. For connectors of the kinds `http` ' +
        'and `openapi`.',
      body: schema.TryConnector,
      answer: ok(schema.ConnectorTried, 'The result of the action.'),
      verb: ({ ctx, params, body }) => tryAction(ctx, params.id, body),
    }),
    operation({
      id: 'connectors.disconnect',
      route: 'DELETE /v1/connectors/:id',
      role: 'admin',
      audit: 'connector.disconnected',
      action: 'disconnect',
      summary: 'Disconnect a connector',
      description: 'Its credentials and logins are removed. Agents keep their capabilities.',
      answer: deleted('The connector is disconnected.'),
      verb: ({ ctx, params }) => disconnectConnector(ctx, params.id),
    }),
  ],
}
