import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { ModelInfo } from '../models/contract.ts'
import { sendPart } from '../http/pagination.ts'
import { Answers, Nullable, PageQuery, Ref, StringEnum } from '../http/schema.ts'
import { listModels } from './list-models.ts'

const Model = Type.Object(
  {
    id: Type.String({ description: 'What `model` of a workflow or crew entry takes.' }),
    provider: Type.String({ description: 'Who runs it.' }),
    label: Type.String({ description: 'Name for people.' }),
    context_window: Nullable(
      Type.Integer({ description: 'Most tokens of prompt and answer; null if unknown.' }),
    ),
    price_in: Nullable(
      Type.Number({ description: 'US dollars per 1,000,000 input tokens; null if unknown.' }),
    ),
    price_out: Nullable(
      Type.Number({ description: 'US dollars per 1,000,000 output tokens; null if unknown.' }),
    ),
    available: Type.Boolean({
      description: 'Whether this deployment has what it needs to run it.',
    }),
    kind: StringEnum(['catalog', 'fine_tuned'] as const, { description: 'Where it comes from.' }),
  },
  { $id: 'Model', description: 'A language model.' },
)

export const modelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addSchema(Model)

  app.get(
    '/v1/models',
    {
      config: { operation: 'models.list', action: 'list models' },
      schema: {
        operationId: 'models.list',
        summary: 'List models',
        description: 'Those that can be run and those that lack a key; then your own fine-tunes.',
        tags: ['Language models'],
        querystring: Type.Object(PageQuery),
        response: Answers(200, Type.Array(Ref(Model)), 'The models.'),
      },
    },
    async (request, reply) => {
      const models = await listModels(request.ctx)
      return { data: sendPart(request, reply, models, 'list models').map(toModel) }
    },
  )
}

function toModel(info: ModelInfo) {
  const { contextWindow, priceIn, priceOut, ...same } = info
  return { ...same, context_window: contextWindow, price_in: priceIn, price_out: priceOut }
}
