import Type, { type Static } from 'typebox'
import { findRepeated, readSettingsFile } from '../settings-file.ts'
import { mediaTypes } from './contract.ts'
import { builtInProviderIds } from './providers/built-ins.ts'

/** The file `MUSTER_MODELS_FILE`: models beyond the catalog, and their providers. */
const strict = { additionalProperties: false }
const label = Type.Optional(Type.String({ minLength: 1, maxLength: 120 }))
const price = Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 }))

/** Without `secret`, the header's name decides whether the value is a secret. */
type HeaderValue = string | { value: string; secret?: boolean }

const headerText = {
  type: 'string',
  pattern: '^[\\t\\x20-\\x7e]*$',
  description: 'visible ASCII characters',
  // It may be a secret.
  writeOnly: true,
}

const Provider = Type.Object(
  {
    id: Type.String({
      pattern: '^(?!muster$)[a-z0-9][a-z0-9_-]{0,39}$',
      description: '1 to 40 characters of a-z 0-9 _ -, a letter or digit first, and not muster',
    }),
    label,
    /** Built-in providers have it from the environment. */
    base_url: Type.Optional(Type.String({ format: 'an http:// or https:// URL' })),
    /** Names the environment variable that holds the key. */
    api_key_env: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
        description: 'the name of an environment variable',
      }),
    ),
    headers: Type.Optional(
      Type.Unsafe<Record<string, HeaderValue>>({
        type: 'object',
        propertyNames: {
          pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
          description: 'the name of a header',
        },
        additionalProperties: {
          if: { type: 'object' },
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
          then: {
            properties: { value: headerText, secret: { type: 'boolean' } },
            required: ['value'],
            additionalProperties: false,
          },
          else: headerText,
        },
      }),
    ),
    max_concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    timeout_seconds: Type.Optional(Type.Number({ minimum: 0.1, maximum: 3_600 })),
  },
  strict,
)

const Model = Type.Object(
  {
    id: Type.String({
      pattern: '^(?!muster/)[\\w@][\\w.:/@+-]{0,79}$',
      description: '1 to 80 characters of A-Z a-z 0-9 . : / @ _ + -, and not muster/…',
    }),
    provider: Type.String(),
    /** The provider's own id; the same as `id` when not given. */
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    label,
    /** Tokens of input and output together. */
    context_window: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    price_in: price,
    price_out: price,
    /** Input that the provider reads from its cache, or writes to it. */
    price_cached: price,
    price_cache_write: price,
    shutdown_date: Type.Optional(
      Type.String({
        pattern: '^20\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
        description: 'a day such as 2027-01-14',
      }),
    ),
    /** Whether the provider takes a JSON Schema as `response_format`. */
    structured_output: Type.Optional(Type.Boolean()),
    /** False: the model is asked for whole answers only, also for watched runs. */
    stream: Type.Optional(Type.Boolean()),
    /** Media types that the model accepts beside text. */
    input_types: Type.Optional(
      Type.Array(
        Type.Unsafe<(typeof mediaTypes)[number]>({
          type: 'string',
          enum: [...mediaTypes],
          description: mediaTypes.join(', '),
        }),
        { maxItems: mediaTypes.length },
      ),
    ),
  },
  strict,
)

const ModelsFile = Type.Object(
  {
    providers: Type.Array(Provider, { default: [] }),
    models: Type.Array(Model, { default: [] }),
  },
  strict,
)
export type ModelsFile = Static<typeof ModelsFile>

/** The headers to send, and the values among them that no message may repeat. */
export function readHeaders(headers: Record<string, HeaderValue> = {}): {
  headers: Record<string, string>
  secrets: string[]
} {
  const read = Object.entries(headers).map(([name, given]) => {
    const { value, secret = isSecretName.test(name) } =
      typeof given === 'string' ? { value: given } : given
    return { name, value, secret }
  })
  return {
    headers: Object.fromEntries(read.map(({ name, value }) => [name, value])),
    // A provider may repeat a credential without its scheme.
    secrets: read.flatMap(({ value, secret }) => (secret ? [value.replace(/^\w+ +/, '')] : [])),
  }
}

/** Portkey's headers contain "key" only in the brand. */
const isSecretName = /authorization|cookie|credential|(?<!port)key|password|secret|token/i

export function readModelsFile(path: string): Promise<ModelsFile> {
  return readSettingsFile('MUSTER_MODELS_FILE', path, ModelsFile, findProblem)
}

const builtInFields = ['id', 'max_concurrency', 'timeout_seconds']

function findProblem({ providers, models }: ModelsFile): string | undefined {
  for (const [index, provider] of providers.entries()) {
    const path = `providers[${index}]`
    const surplus = Object.keys(provider).find((name) => !builtInFields.includes(name))
    if (!builtInProviderIds.includes(provider.id)) {
      if (provider.base_url === undefined) return `${path}.base_url is required`
    } else if (surplus !== undefined) {
      return `${path}.${surplus} cannot be set for the built-in provider ${provider.id}, expected ${builtInFields.join(', ')}`
    }
  }
  const routable = [...new Set([...builtInProviderIds, ...providers.map(({ id }) => id)])]
  const unknown = models.findIndex(({ provider }) => !routable.includes(provider))
  if (unknown !== -1) {
    const shown = JSON.stringify(models[unknown]?.provider)
    return `models[${unknown}].provider is ${shown}, expected ${routable.join(', ')}`
  }
  return findRepeated(providers, 'providers') ?? findRepeated(models, 'models')
}
