import Type, {
  type Static,
  type TInteger,
  type TOptional,
  type TSchema,
  type TUnsafe,
} from 'typebox'
import {
  Nullable,
  NullableTimestamp,
  NullableText,
  StringEnum,
  Timestamp,
  refTo,
} from '../wire-types.ts'
import { NullableAuthor } from '../engine/wire/step.ts'
import { TextPart } from '../engine/wire/comparison.ts'

const number = Type.Integer({ description: 'Its number, from 1.' })

/** Fields of workflows and agents about their versions. */
export const versionNumbers = {
  version: Type.Integer({ description: 'The live version: its number, and the `ETag`.' }),
  last_version: Type.Integer({
    description: 'The newest version; a draft if it was never published.',
  }),
}

/** Fields of an update about the version that it makes. */
export const versionFields = {
  draft: Type.Boolean({
    description:
      'Create a version that is not live: runs use it if they are triggered with its number, or once it is ' +
      'published. `last_version` is its number.',
  }),
  note: Nullable(
    Type.String({ maxLength: 500, description: 'Note on the version, shown in the history.' }),
  ),
}
export interface VersionFields {
  draft?: boolean | undefined
  note?: string | null | undefined
}

export const ifMatch: { 'if-match': TOptional<TUnsafe<string>> } = {
  'if-match': Type.Optional(
    Type.Unsafe<string>(
      Type.String({
        maxLength: 1000,
        description:
          'The `ETag` that you read: refused with 412 `version_conflict` if another version is live now.',
      }),
    ),
  ),
}

export const toVersion: TOptional<TInteger> = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'Number of the other version.' }),
)

const fields = {
  version: number,
  state: StringEnum(['live', 'draft', 'earlier'] as const, {
    description: '`live`: used by runs. `draft`: never live. `earlier`: live before.',
  }),
  author: NullableAuthor('Who created it; null if unknown.'),
  note: NullableText("The author's note, if any."),
  base_version: Nullable(
    Type.Integer({
      description: 'The version that was live when it was created; null for the first.',
    }),
  ),
  changed: Type.Array(Type.String(), {
    description: 'Fields that differ from `base_version`, up to 50.',
  }),
  created_at: Timestamp('When it was created.'),
  published_at: NullableTimestamp('When it last went live; null for a draft.'),
}

export const Version = Type.Object(fields, {
  $id: 'Version',
  description: 'A version of a workflow or an agent, without its definition.',
})
export type Version = Static<typeof Version>

/** A version with its whole definition. */
export function versionOf<T extends TSchema>(
  $id: string,
  definition: T,
): TUnsafe<Version & { definition: Static<T> }> & { $id: string } {
  const typed = Type.Unsafe<Static<T>>({ ...refTo(definition) })
  const schema = Type.Object({ ...fields, definition: typed })
  return Type.Unsafe<Version & { definition: Static<T> }>({
    ...schema,
    $id,
    description: 'A version with its definition.',
  }) as TUnsafe<Version & { definition: Static<T> }> & { $id: string }
}

export const VersionDiff = Type.Object(
  {
    from: number,
    to: number,
    changes: Type.Array(
      Type.Object(
        {
          field: Type.String({
            description:
              'Path of the field, such as `crew[1].systemPrompt`, with positions after the change, or before it if an ' +
              'agent was removed.',
          }),
          agent: NullableText("Role of the crew's agent; null for other fields."),
          before: Type.Unsafe<unknown>({
            description: 'Its value before; null if it had none.',
          }),
          after: Type.Unsafe<unknown>({ description: 'Its value after; null if it has none.' }),
          parts: Nullable(
            Type.Array(TextPart, {
              description:
                'Differences of texts word by word, of schemas line by line; one part for each side if they have little ' +
                'in common. Null for other values.',
            }),
          ),
        },
        { description: 'A field that differs.' },
      ),
      { description: 'Fields that differ, in the order of the definition.' },
    ),
  },
  { $id: 'VersionDiff', description: 'What differs between two versions.' },
)
export type VersionDiff = Static<typeof VersionDiff>
