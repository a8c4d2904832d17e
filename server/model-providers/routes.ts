import { deleted, listInMemory, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { builtInProviderIds } from '../models/providers/built-ins.ts'
import {
  listModelProviders,
  removeModelProvider,
  setModelProvider,
  testModelProvider,
} from './providers.ts'
import * as schema from './schema.ts'

export const modelProviders: Resource = {
  tag: 'Model providers',
  about:
    "Where models run: with keys of the account or the server, and on the account's own servers.",
  ids: { 'model-providers': 'Provider id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'model_providers.list',
      route: 'GET /v1/model-providers',
      columns: ['id', 'label', 'source as key', 'state', 'message'],
      role: 'viewer',
      action: 'list model providers',
      summary: 'List model providers',
      description:
        "Built-in ones, then those of the models file, then the account's compatible servers. Keys are never " +
        'shown.',
      answer: listInMemory(schema.ModelProvider, 'The model providers.'),
      verb: ({ ctx }) => listModelProviders(ctx),
    }),
    operation({
      id: 'model_providers.set',
      route: 'PUT /v1/model-providers/:id',
      cli: { args: ['api_key?'], flags: { 'no-key': { api_key: null } } },
      role: 'admin',
      audit: 'model_provider.set',
      action: 'set model provider',
      summary: 'Set a key or a server for models',
      description:
        `A key for a built-in provider (${builtInProviderIds.join(', ')}), which takes precedence over the ` +
        "server's; under another id, a server with OpenAI's chat completions API. Omitted fields are kept, a " +
        'stored key only for the same `base_url`. Keys are encrypted and never returned. The provider is tested ' +
        'at once: `state` and `message` have the result.',
      body: schema.SetModelProvider,
      answer: ok(schema.ModelProvider, 'The model provider.'),
      verb: ({ ctx, params, body }) => setModelProvider(ctx, params.id, body),
    }),
    operation({
      id: 'model_providers.test',
      route: 'POST /v1/model-providers/:id/test',
      role: 'admin',
      audit: 'model_provider.tested',
      action: 'test model provider',
      summary: 'Test a model provider',
      description:
        'A built-in provider is asked for its list of models, with the key. For your own server, its first model ' +
        'gets one short call.',
      answer: ok(schema.ModelProviderTest, 'The result of the test.'),
      verb: ({ ctx, params }) => testModelProvider(ctx, params.id),
    }),
    operation({
      id: 'model_providers.remove',
      route: 'DELETE /v1/model-providers/:id',
      role: 'admin',
      audit: 'model_provider.removed',
      action: 'remove model provider',
      summary: 'Remove a model provider',
      description:
        "Its key and models are removed. A built-in provider then uses the server's key, if there is one that " +
        'accounts may use. Otherwise workflows that name its models warn (`model_unavailable`), and their runs ' +
        'fail.',
      answer: deleted('The model provider is removed.'),
      verb: ({ ctx, params }) => removeModelProvider(ctx, params.id),
    }),
  ],
}
