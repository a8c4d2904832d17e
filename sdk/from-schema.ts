/**
 * The type of the values of a JSON Schema that is written as a constant (`as const`): objects,
 * lists, `enum`, `const` and `anyOf`. Anything else is `unknown`.
 */
export type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Part)[] }
      ? FromSchema<Part>
      : Schema extends { readonly type: readonly (infer Type)[] }
        ? OfType<Type, Schema>
        : Schema extends { readonly type: infer Type }
          ? OfType<Type, Schema>
          : unknown

type OfType<Type, Schema> = Type extends 'object'
  ? ObjectOf<Schema>
  : Type extends 'array'
    ? Schema extends { readonly items: infer Item }
      ? FromSchema<Item>[]
      : unknown[]
    : Type extends keyof Plain
      ? Plain[Type]
      : unknown

interface Plain {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
}

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? {
      [Name in keyof Properties as Name extends RequiredOf<Schema> ? Name : never]: FromSchema<
        Properties[Name]
      >
    } & {
      [Name in keyof Properties as Name extends RequiredOf<Schema> ? never : Name]?: FromSchema<
        Properties[Name]
      >
    }
  : Record<string, unknown>

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never
