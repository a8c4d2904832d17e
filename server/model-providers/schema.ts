import Type, { type Static } from 'typebox'
import {
  connectionFields,
  connectionStates,
  Nullable,
  Ref,
  ShownUrl,
  StrictObject,
  StringEnum,
  testFields,
  Text,
  Url,
} from '../wire-types.ts'
import { mediaTypes } from '../models/contract.ts'

export const maxModelsPerProvider = 100

const price = (what: string) =>
  Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: `US dollars per 1,000,000 ${what} tokens; unknown and counted as 0 if omitted.`,
    }),
  )

export const OwnModel = StrictObject(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 76,
      pattern: '^[\\x21-\\x7e]*$',
      description: "The server's own id, visible ASCII characters.",
    }),
    label: Type.Optional(Text(120, 'Display name; the id by default.')),
    context_window: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Maximum tokens of prompt and answer.',
      }),
    ),
    price_in: price('input'),
    price_out: price('output'),
    structured_output: Type.Optional(
      Type.Boolean({
        description: 'Whether the server accepts a JSON Schema as `response_format`.',
      }),
    ),
    input_types: Type.Optional(
      Type.Array(StringEnum(mediaTypes, { description: 'A media type.' }), {
        maxItems: mediaTypes.length,
        description: 'File types that the model accepts.',
      }),
    ),
  },
  { $id: 'OwnModel', description: "A model of an account's own server." },
)

export const SetModelProvider = StrictObject(
  {
    api_key: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 4_000,
          pattern: '^[\\x21-\\x7e]*$',
          writeOnly: true,
          description: 'Key of visible ASCII characters; null for a server without a key.',
        }),
      ),
    ),
    base_url: Type.Optional(
      Nullable(
        Url(
          "Address of a server with OpenAI's chat completions API, the part before `/chat/completions`; https " +
            'unless in an allowed network. Required for your own server; for a built-in provider, null is its usual ' +
            'address. If omitted, the stored one is kept.',
        ),
      ),
    ),
    label: Type.Optional(Nullable(Text(120, 'Display name. If omitted, the stored one is kept.'))),
    timeout_seconds: Type.Optional(
      Nullable(
        Type.Number({
          minimum: 0.1,
          maximum: 3_600,
          description:
            'Seconds that the provider may stay silent before a call fails. Null means 120; raise it for slow local ' +
            'models. If omitted, the stored value is kept.',
        }),
      ),
    ),
    models: Type.Optional(
      Type.Array(Ref(OwnModel), {
        minItems: 1,
        maxItems: maxModelsPerProvider,
        description:
          'Models of your own server, which workflows name `<provider>/<id>`. If omitted, stored ones are kept; if ' +
          'there are none, the server is asked for its list. The first one is tested.',
      }),
    ),
  },
  {
    $id: 'SetModelProvider',
    examples: [
      {
        base_url: 'https://llm.example.com/v1',
        api_key: 'sk-of-the-account',
        label: 'Lab',
        models: [{ id: 'llama-3.3-70b' }],
      },
    ],
    description: 'A key for a built-in provider, or a compatible server.',
  },
)
export type SetModelProvider = Static<typeof SetModelProvider>

export const ModelProvider = Type.Object(
  {
    id: Type.String({ description: 'Provider id.' }),
    label: Type.String({ description: 'Display name.' }),
    kind: StringEnum(['builtin', 'compatible'] as const, {
      description: "Built in, or a server with OpenAI's API.",
    }),
    available: Type.Boolean({ description: 'Whether its models are available to this account.' }),
    source: Nullable(
      StringEnum(['account', 'server'] as const, {
        description: 'Whose key or server is used; null if there is none.',
      }),
    ),
    stored: Type.Boolean({
      description: 'Whether the account has set it up. If not, there is nothing to test or remove.',
    }),
    has_key: Type.Boolean({ description: 'Whether the account has stored a key.' }),
    base_url: Nullable(ShownUrl('Address set by the account; null otherwise.')),
    timeout_seconds: Nullable(
      Type.Number({
        description: 'How long the provider may stay silent, in seconds; null for the default.',
      }),
    ),
    models: Type.Array(Ref(OwnModel), { description: "Models of the account's own server." }),
    state: Nullable(
      StringEnum(connectionStates, {
        description:
          'Result of the last test or use; `saved` before the first, null if nothing is stored.',
      }),
    ),
    ...connectionFields,
  },
  { $id: 'ModelProvider', description: 'A provider that runs models.' },
)
export type ModelProvider = Static<typeof ModelProvider>

export const ModelProviderTest = Type.Object(
  {
    ...testFields,
  },
  { $id: 'ModelProviderTest', description: 'The result of a test.' },
)
