import { cannot } from '../errors.ts'
import { findSchemaProblem, type JsonSchema } from './check-schema.ts'

/** Refuses a schema that cannot be used, with the path of what is wrong. */
export function refuseSchema(
  ctx: { action: string },
  param: string,
  schema: JsonSchema | null | undefined,
): void {
  if (schema === null || schema === undefined) return
  const problem = findSchemaProblem(schema)
  if (problem === undefined) return
  const place = problem.path === '' ? param : `${param}.${problem.path}`
  throw cannot(ctx, 'invalid_schema', `${place} ${problem.why}`, { param: place.slice(0, 500) })
}
