/** One row of `generated.ts`: a command that follows from the definition of an operation. */
export interface CommandDefinition {
  /** The operation, which is the SDK's method. */
  id: string
  /** `agents list`. */
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
  /** What the command itself sets, as `pause` does. */
  sets?: object
  isList?: boolean
  /** Items of a list by default. */
  limit?: number
  hasCsv?: boolean
  /** Name of the schema of the answer, or of the items of a list. */
  schema: string
  /** Fields that are shown: `crew.role as crew`. */
  columns: string[]
  /** Fields with long texts, shown below the others. */
  blocks: string[]
  /** Fields that no other answer has again. */
  secrets: string[]
  /** The resource, where people may call it by its name. */
  named?: string
}

/** A resource whose items have names, and the prefix of its ids. */
export interface Ref {
  resource: string
  prefix: string
}

/** A parameter of the path: an argument, or an option that names the owner. */
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
  /** Its place among the arguments. */
  argument?: number
  /** What the service takes where nothing is given. */
  fallback?: string | number | boolean
  about: string
}
