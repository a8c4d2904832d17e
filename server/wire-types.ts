import Type, {
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TString,
  type TUnsafe,
} from 'typebox'

import { errorCodes, errorTypes, type ErrorCode } from './errors.ts'

/** Building blocks of the wire schemas: they validate, serialise and become the OpenAPI document. */

/** An object that rejects unknown fields. */
export function StrictObject<T extends TProperties>(
  properties: T,
  options: { $id?: string; description?: string; examples?: unknown[] } = {},
): TObject<T> {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** The same fields, all optional. */
export function optional<T extends TProperties>(
  properties: T,
): { [Name in keyof T]: TOptional<T[Name]> } {
  const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])
  return Object.fromEntries(entries) as { [Name in keyof T]: TOptional<T[Name]> }
}

/** A text that is not empty. */
export function Text(maxLength: number, description: string): TString {
  return Type.String({ minLength: 1, maxLength, description })
}

/**
 * A name with visible characters. The contract's own names may be blank: only their length is
 * checked.
 */
export function Name(maxLength: number, description: string): TString {
  const expected = `${description}, not blank.`
  return Type.String({ minLength: 1, maxLength, pattern: '\\S', description: expected })
}

/** An absolute address in a request; what else is expected of it, its operation checks. */
export function Url(description: string): TString {
  return Type.String({ minLength: 1, maxLength: 2048, format: 'uri', description })
}

/** An absolute address in a response. */
export function ShownUrl(description: string): TString {
  return Type.String({ format: 'uri', description })
}

/** Any JSON object, or null. */
export function NullableObject(description: string): TUnsafe<Record<string, unknown> | null> {
  return Type.Unsafe({ type: ['object', 'null'], additionalProperties: true, description })
}

/** A schema that also allows null. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values, ...rest } = schema as TSchema & { type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type ?? 'string', 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
  })
}

/** One of a list of strings. */
export function StringEnum<const T extends readonly string[]>(
  words: T,
  options: { description: string; default?: T[number] },
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options })
}

/** A reference to a schema that has an `$id`. */
export function Ref<T extends TSchema & { $id?: string }>(schema: T): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` })
}

/** A schema as other schemas include it: by reference if it has an `$id`. */
export function refTo(schema: TSchema): TSchema {
  return '$id' in schema ? Ref(schema as TSchema & { $id: string }) : schema
}

export function Timestamp(description: string): TUnsafe<Date> {
  return Type.Unsafe<Date>({ type: 'string', format: 'date-time', description })
}

export function NullableText(description: string): TUnsafe<string | null> {
  return Nullable(Type.String({ description }))
}

export function NullableTimestamp(description: string): TUnsafe<Date | null> {
  return Nullable(Timestamp(description))
}

export const connectionStates = ['saved', 'working', 'failing'] as const

/** The result of the last test or use of a stored connection (`db/connection-state.ts`). */
export const connectionFields = {
  checked_at: NullableTimestamp('When it was last tested or used.'),
  failing_since: NullableTimestamp('Since when it is failing; null if it is not.'),
  message: NullableText('A description of the result.'),
}

/** The result of testing a connection. */
export const testFields = {
  ok: Type.Boolean({ description: 'Whether it works.' }),
  message: Type.String({ description: 'A description of the result.' }),
}

/** A time filter of a list, parsed by `toDate`. */
export function TimeFilter(which: string): TOptional<TString> {
  const description = `ISO 8601 time such as 2026-11-01T00:00:00Z: ${which}.`
  return Type.Optional(Type.String({ format: 'date-time', description }))
}

export function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}

export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        type: StringEnum(errorTypes, { description: 'Type of the error.' }),
        code: StringEnum(Object.keys(errorCodes) as ErrorCode[], {
          description: 'Stable identifier of the cause. More codes may be added.',
        }),
        message: Type.String({ description: 'What is wrong, where, and what is expected.' }),
        param: Type.Optional(Type.String({ description: 'Path of the invalid field.' })),
        line: Type.Optional(
          Type.Integer({ description: 'Invalid line of the training data, from 1.' }),
        ),
        request_id: Type.String({ description: 'Finds the request in the logs.' }),
      },
      { description: 'The error.' },
    ),
  },
  // Not `Error`, which languages have already, nor the name of its field, which generators mix up.
  { $id: 'ErrorBody', description: 'The body of every error response.' },
)

/** The error responses of an operation. */
export const Failures = {
  '4xx': Type.Unsafe<never>({ ...Ref(ErrorBody), description: 'The request was refused.' }),
  '5xx': Type.Unsafe<never>({
    ...Ref(ErrorBody),
    description: 'The service could not handle the request.',
  }),
}

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Maximum items of this page.' }),
  ),
  after: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Cursor of the previous page, from its `Link` header.',
    }),
  ),
}

export const Deleted = Type.Object(
  {
    id: Type.String({ description: 'Id of the deleted object.' }),
    deleted: Type.Literal(true, { description: 'Always true.' }),
  },
  { $id: 'Deleted', description: 'The deleted object.' },
)
