import Type, { type Static } from 'typebox'
import {
  connectionFields,
  connectionStates,
  Nullable,
  NullableText,
  Ref,
  StrictObject,
  StringEnum,
  testFields,
  Text,
} from '../wire-types.ts'
import { mediaTypes } from '../models/contract.ts'

export const maxModelsPerProvider = 100

const price = (what: string) =>
  Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: `US dollars per 1,000,000 ${what} tokens; left out, unknown, and counted as 0.`,
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
    label: Type.Optional(Text(120, 'Name for people; the id by default.')),
    context_window: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Most tokens of prompt and answer.',
      }),
    ),
    price_in: price('input'),
    price_out: price('output'),
    structured_output: Type.Optional(
      Type.Boolean({ description: 'Whether the server takes a JSON Schema as `response_format`.' }),
    ),
    input_types: Type.Optional(
      Type.Array(StringEnum(mediaTypes, { description: 'A media type.' }), {
        maxItems: mediaTypes.length,
        description: 'Files that it takes as they are.',
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
          description: 'Key of visible ASCII characters; null for a server without.',
        }),
      ),
    ),
    base_url: Type.Optional(
      Nullable(
        Text(
          2048,
          'Address of a server that speaks the chat completions API of OpenAI, the part before ' +
            '`/chat/completions`; https unless in an allowed network. Required for a server of your own; of a ' +
            'built-in provider, null is its usual address. Left out, a stored one stays.',
        ),
      ),
    ),
    label: Type.Optional(Nullable(Text(120, 'Name for people. Left out, a stored one stays.'))),
    timeout_seconds: Type.Optional(
      Nullable(
        Type.Number({
          minimum: 0.1,
          maximum: 3_600,
          description:
            'Seconds that the provider may stay silent before a call fails. Null is 120; raise it for slow local models. ' +
            'Left out, a stored one stays.',
        }),
      ),
    ),
    models: Type.Optional(
      Type.Array(Ref(OwnModel), {
        minItems: 1,
        maxItems: maxModelsPerProvider,
        description:
          'Models of a server of your own, which workflows name `<provider>/<id>`. Left out, stored ones stay; ' +
          'where there are none, the server is asked for its list. The first one is tested.',
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
    label: Type.String({ description: 'Name for people.' }),
    kind: StringEnum(['builtin', 'compatible'] as const, {
      description: 'Comes with Muster, or a server that speaks the API of OpenAI.',
    }),
    available: Type.Boolean({ description: 'Whether its models can be run in this account.' }),
    source: Nullable(
      StringEnum(['account', 'server'] as const, {
        description: 'Whose key or server is used; null where there is none.',
      }),
    ),
    stored: Type.Boolean({
      description:
        'Whether the account has set it. Otherwise there is nothing to test or to remove.',
    }),
    has_key: Type.Boolean({ description: 'Whether the account has stored a key.' }),
    base_url: NullableText('Address that the account has set; else null.'),
    timeout_seconds: Nullable(
      Type.Number({
        description: 'Longest silence of the provider, in seconds; null for the default.',
      }),
    ),
    models: Type.Array(Ref(OwnModel), { description: "Models of the account's own server." }),
    state: Nullable(
      StringEnum(connectionStates, {
        description:
          'What its last test or use found; `saved` before the first, null where nothing is stored.',
      }),
    ),
    ...connectionFields,
  },
  { $id: 'ModelProvider', description: 'Where models are run.' },
)
export type ModelProvider = Static<typeof ModelProvider>

export const ModelProviderTest = Type.Object(
  {
    ...testFields,
  },
  { $id: 'ModelProviderTest', description: 'The result of a test.' },
)
