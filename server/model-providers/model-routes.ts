import Type from 'typebox'
import type { ModelInfo } from '../models/contract.ts'
import { listInMemory } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { Nullable, StringEnum } from '../wire-types.ts'
import { listModels } from '../account-models/account-models.ts'

const LongPrompt = Type.Object({
  over: Type.Integer({ description: 'Input tokens.' }),
  in: Type.Number({ description: 'Factor on the prices of input.' }),
  out: Type.Number({ description: 'Factor on the price of output.' }),
})

const Source = Type.Object({
  url: Type.String({ description: "The provider's page of prices." }),
  date: Type.String({ format: 'date', description: 'When it was compared.' }),
  ends: Type.Optional(Type.String({ description: "The provider's page of ends." })),
  inputs: Type.Optional(
    Type.String({ description: "The provider's page of what its models take." }),
  ),
  note: Type.Optional(Type.String({ description: 'What could not be checked, or will change.' })),
})

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
    price_cached: Nullable(
      Type.Number({
        description:
          "US dollars per 1,000,000 input tokens from the provider's cache; where it is null they " +
          'count as other input.',
      }),
    ),
    price_cache_write: Nullable(
      Type.Number({
        description:
          "US dollars per 1,000,000 input tokens that are written to the provider's cache; where it " +
          'is null they count as other input.',
      }),
    ),
    long_prompt: Nullable({
      ...LongPrompt,
      description: 'What a long prompt does to all prices of its call; null for nothing known.',
    }),
    shutdown_date: Nullable(
      Type.String({
        format: 'date',
        description:
          'The day on which the provider ends it, or the earliest that it names; null if unknown.',
      }),
    ),
    source: Nullable({
      ...Source,
      description:
        'Where the figures come from; null where the deployment or a fine-tune has them.',
    }),
    structured_output: Type.Boolean({
      description:
        'Whether its provider holds answers to `output_schema`. Others are told the schema; what they ' +
        'answer is checked all the same.',
    }),
    input_types: Type.Array(Type.String({ description: 'Such as `image/png`.' }), {
      description:
        'Media types of files that it takes as they are. It gets the text of others, or reads them with tools.',
    }),
    available: Type.Boolean({
      description: 'Whether this deployment has what it needs to run it.',
    }),
    default: Type.Boolean({
      description: 'Whether workflows that name no model run on it now.',
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
      cli: false,
      route: 'GET /v1/models',
      role: 'viewer',
      action: 'list models',
      summary: 'List models',
      description: 'Those that can be run and those that lack a key; then your own fine-tunes.',
      answer: listInMemory(Model, 'The models.'),
      verb: async ({ ctx }) =>
        (await listModels(ctx)).map((info) => toModel(info, ctx.models.defaultModel)),
    }),
  ],
}

function toModel(info: ModelInfo, defaultModel: string) {
  const { id, provider, label, available, kind } = info
  return {
    id,
    provider,
    label,
    available,
    default: id === defaultModel,
    kind,
    context_window: info.contextWindow,
    price_in: info.priceIn,
    price_out: info.priceOut,
    price_cached: info.priceCached ?? null,
    price_cache_write: info.priceCacheWrite ?? null,
    long_prompt: info.longPrompt ?? null,
    shutdown_date: info.shutdownDate ?? null,
    source: info.source ?? null,
    structured_output: info.structuredOutput,
    input_types: [...(info.inputTypes ?? [])],
  }
}
