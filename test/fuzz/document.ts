import { openApiDocument } from '../../server/start/openapi-document.ts'

/** The parts of the OpenAPI document that the fuzzer uses. */
export interface Schema {
  $ref?: string
  anyOf?: Schema[]
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  maxProperties?: number
  propertyNames?: Schema
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

interface Content {
  content?: Record<string, { schema: Schema }>
}

export interface Operation {
  operationId: string
  method: string
  path: string
  parameters: { name: string; in: string; schema: Schema }[]
  body: Schema | undefined
  responses: Record<string, Content>
}

export interface Document {
  operations: Operation[]
  schemas: Record<string, Schema>
}

interface Ref {
  $ref: string
}

interface RawOperation {
  operationId: string
  parameters?: (Operation['parameters'][number] | Ref)[]
  requestBody?: Content
  responses: Record<string, Content | Ref>
}

interface Components {
  schemas: Record<string, Schema>
  parameters?: Record<string, Operation['parameters'][number]>
  responses?: Record<string, Content>
}

export async function readDocument(): Promise<Document> {
  const { paths, components } = (await openApiDocument()) as unknown as {
    paths: Record<string, Record<string, RawOperation>>
    components: Components
  }
  const whole = <T extends object>(named: Record<string, T> | undefined, one: T | Ref): T =>
    '$ref' in one ? (named?.[one.$ref.split('/').at(-1) as string] as T) : one
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId, requestBody, parameters = [], responses }]) => ({
        operationId,
        parameters: parameters.map((one) => whole(components.parameters, one)),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, one]) => [
            status,
            whole(components.responses, one),
          ]),
        ),
        method: method.toUpperCase(),
        path,
        body: requestBody?.content?.['application/json']?.schema,
      }),
    ),
  )
  return { operations, schemas: components.schemas }
}

export function resolve({ schemas }: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const name = schema.$ref.split('/').at(-1) as string
  const found = schemas[name]
  if (found === undefined) throw new Error(`The document has no schema ${name}`)
  return resolve({ schemas, operations: [] }, found)
}
