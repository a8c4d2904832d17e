/** One entry of `generated.ts`: a command derived from the definition of an operation. */
export interface CommandDefinition {
  /** Id of the operation, which is also the SDK's method. */
  id: string
  /** Such as `agents list`. */
  command: string
  about: string
  details?: string
  /** Completes "Cannot …". */
  action: string
  params: Param[]
  fields: Field[]
  hasBody?: boolean
  /** The last argument is a JSON file with the whole body. */
  bodyIsFile?: boolean
  /** Options without a value, and the fields that they set. */
  flags?: Record<string, object>
  /** Fields that the command itself sets, as `pause` does. */
  sets?: object
  isList?: boolean
  /** Number of items that a list shows by default. */
  limit?: number
  hasCsv?: boolean
  /** Name of the schema of the response, or of the items of a list. */
  schema: string
  /** Fields to show, such as `crew.role as crew`. */
  columns: string[]
  /** Fields with long texts, shown after the others. */
  blocks: string[]
  /** Fields that no later response contains. */
  secrets: string[]
  /** The resource, if people can name its objects. */
  named?: string
}

/** A resource whose objects have names, with the prefix of its ids. */
export interface Ref {
  resource: string
  prefix: string
}

/** A path parameter: an argument, or an option that names the owner. */
export interface Param {
  noun: string
  about: string
  ref?: Ref
  option?: string
}

/** A field of the query or the body: an option, or an argument. */
export interface Field {
  name: string
  option: string
  kind: 'text' | 'number' | 'switch' | 'list' | 'ids' | 'pairs' | 'json' | 'secret'
  inQuery?: boolean
  required?: boolean
  isNullable?: boolean
  min?: number
  max?: number
  isWhole?: boolean
  choices?: string[]
  ref?: Ref
  /** Its position among the arguments. */
  argument?: number
  /** The service's default. */
  fallback?: string | number | boolean
  about: string
}
