import Type from 'typebox'
import type { ModelInfo } from '../models/contract.ts'
import { listInMemory } from '../http/answer.ts'
import { operation, type Resource } from '../http/operation.ts'
import { Nullable, StringEnum } from '../http/schema.ts'
import { listModels } from './models.ts'

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
    structured_output: Type.Boolean({
      description:
        'Whether its provider holds answers to `output_schema`. Others are told the schema; what they ' +
        'answer is checked all the same.',
    }),
    available: Type.Boolean({
      description: 'Whether this deployment has what it needs to run it.',
    }),
    kind: StringEnum(['catalog', 'fine_tuned'] as const, { description: 'Where it comes from.' }),
  },
  { $id: 'Model', description: 'A language model.' },
)

export const models: Resource = {
  tag: 'Language models',
  about: 'Models that agents can run on: of the deployment, and tuned ones.',
  schemas: { Model },
  operations: [
    operation({
      id: 'models.list',
      route: 'GET /v1/models',
      role: 'viewer',
      action: 'list models',
      summary: 'List models',
      description: 'Those that can be run and those that lack a key; then your own fine-tunes.',
      answer: listInMemory(Model, 'The models.'),
      verb: async ({ ctx }) => (await listModels(ctx)).map(toModel),
    }),
  ],
}

function toModel(info: ModelInfo) {
  const { contextWindow, priceIn, priceOut, structuredOutput, ...same } = info
  return {
    ...same,
    context_window: contextWindow,
    price_in: priceIn,
    price_out: priceOut,
    structured_output: structuredOutput,
  }
}
