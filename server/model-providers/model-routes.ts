import Type from 'typebox'
import type { ModelInfo } from '../models/contract.ts'
import { listInMemory } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { Nullable, ShownUrl, StringEnum } from '../wire-types.ts'
import { listModels } from '../account-models/account-models.ts'

const LongPrompt = Type.Object({
  over: Type.Integer({ description: 'Input tokens.' }),
  in: Type.Number({ description: 'Factor for input prices.' }),
  out: Type.Number({ description: 'Factor for the output price.' }),
})

const Source = Type.Object({
  url: ShownUrl("The provider's pricing page."),
  date: Type.String({ format: 'date', description: 'When the prices were checked.' }),
  ends: Type.Optional(ShownUrl("The provider's page of shutdown dates.")),
  inputs: Type.Optional(ShownUrl("The provider's page of supported inputs.")),
  note: Type.Optional(
    Type.String({ description: 'Caveats: what could not be checked or will change.' }),
  ),
})

const Model = Type.Object(
  {
    id: Type.String({ description: 'Value for `model` of a workflow or crew entry.' }),
    provider: Type.String({ description: 'Its provider.' }),
    label: Type.String({ description: 'Display name.' }),
    context_window: Nullable(
      Type.Integer({ description: 'Maximum tokens of prompt and answer; null if unknown.' }),
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
          "US dollars per 1,000,000 input tokens read from the provider's cache; if null, they count as other " +
          'input.',
      }),
    ),
    price_cache_write: Nullable(
      Type.Number({
        description:
          "US dollars per 1,000,000 input tokens written to the provider's cache; if null, they count as other " +
          'input.',
      }),
    ),
    long_prompt: Nullable({
      ...LongPrompt,
      description: 'Surcharge on all prices of a call with a long prompt; null if none is known.',
    }),
    shutdown_date: Nullable(
      Type.String({
        format: 'date',
        description:
          'The day on which the provider shuts it down, or the earliest one announced; null if unknown.',
      }),
    ),
    source: Nullable({
      ...Source,
      description: 'Source of the prices; null if they come from the deployment or a fine-tune.',
    }),
    structured_output: Type.Boolean({
      description:
        'Whether its provider enforces `output_schema`. Other models get the schema as text; answers are checked ' +
        'in every case.',
    }),
    input_types: Type.Array(Type.String({ description: 'Such as `image/png`.' }), {
      description:
        'Media types of files that it accepts. Of other files it gets the text, or reads them with tools.',
    }),
    available: Type.Boolean({
      description: 'Whether it can run on this deployment.',
    }),
    default: Type.Boolean({
      description: 'Whether it is the current default model.',
    }),
    kind: StringEnum(['catalog', 'fine_tuned'] as const, { description: 'Its origin.' }),
  },
  { $id: 'Model', description: 'A language model.' },
)

export const models: Resource = {
  tag: 'Language models',
  about: "Models for agents: the deployment's and fine-tuned ones.",
  schemas: { Model },
  operations: [
    operation({
      id: 'models.list',
      cli: false,
      route: 'GET /v1/models',
      role: 'viewer',
      action: 'list models',
      summary: 'List models',
      description: 'Available models and those that lack a key, then your own fine-tunes.',
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
