import Type, { type Static } from 'typebox'
import { findRepeated, readSettingsFile } from '../../settings-file.ts'

export const providerIds = ['openai', 'mistral'] as const
export type ProviderId = (typeof providerIds)[number]

/** `MUSTER_FINE_TUNES_FILE`: the operator's settings for providers, all optional. */
const strict = { additionalProperties: false }
const label = Type.Optional(Type.String({ minLength: 1, maxLength: 120 }))
const rate = Type.Number({ minimum: 0, maximum: 1_000_000 })

const BaseModel = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200 }),
    label,
    training_rate: Type.Optional(rate),
    inference_rate: Type.Optional(Type.Object({ in: rate, out: rate }, strict)),
  },
  strict,
)

const Provider = Type.Object(
  {
    id: Type.Unsafe<ProviderId>({ type: 'string', enum: [...providerIds] }),
    label,
    base_url: Type.Optional(Type.String({ format: 'an http:// or https:// URL' })),
    api_key_env: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
        description: 'the name of an environment variable',
      }),
    ),
    /** The model provider, from the environment or the models file, that runs the tuned models. */
    models_provider: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
    base_models: Type.Optional(Type.Array(BaseModel, { minItems: 1, maxItems: 20 })),
  },
  strict,
)
export type ProviderSettings = Static<typeof Provider>

const File = Type.Object({ providers: Type.Array(Provider, { default: [] }) }, strict)

/** `isModelsProvider` says whether a model provider of this name exists. */
export async function readFineTunesFile(
  path: string,
  isModelsProvider: (id: string) => boolean,
): Promise<ProviderSettings[]> {
  const file = await readSettingsFile('MUSTER_FINE_TUNES_FILE', path, File, ({ providers }) => {
    const lost = providers.find(({ models_provider: id }) => id && !isModelsProvider(id))
    if (lost !== undefined) {
      return `models_provider ${lost.models_provider} is not a provider of models here`
    }
    const models = providers.flatMap(({ base_models: list = [] }) => list)
    return findRepeated(providers, 'providers') ?? findRepeated(models, 'base_models')
  })
  return file.providers
}
