import type { Context } from '../context.ts'
import type { StoredTool } from '../engine/run/definition.ts'
import { cannot } from '../errors.ts'
import type { CallerTool } from './schema.ts'

/** What agents and crew entries share about tools that the account's own processes execute. */

/** The schemas of the tools, with their paths, for `refuseSchemas`. */
export function schemasOfTools(
  tools: readonly CallerTool[] = [],
  place = '',
): { param: string; schema: Record<string, unknown> }[] {
  return tools.map(({ input_schema: schema }, index) => ({
    param: `${place}tools[${index}].input_schema`,
    schema,
  }))
}

/** Throws if two tools have the same name. */
export function refuseSameNames(
  ctx: Pick<Context, 'action'>,
  tools: readonly CallerTool[] = [],
  place = '',
): void {
  for (const [index, { name }] of tools.entries()) {
    const first = tools.findIndex((tool) => tool.name === name)
    if (first === index) continue
    const param = `${place}tools[${index}].name`
    const why = `${param} is ${name}, which tools[${first}] has already`
    throw cannot(ctx, 'invalid_value', why, { param })
  }
}

/** With the defaults of what is left out. */
export function withDefaults(tools: readonly CallerTool[]): Required<CallerTool>[] {
  return tools.map((tool) => ({ timeout_seconds: 300, sensitive: true, ...tool }))
}

/** Each schema becomes a text, because what stores definitions does not keep the order of keys. */
export function toStoredTools(tools: readonly CallerTool[]): StoredTool[] {
  return withDefaults(tools).map(({ input_schema: schema, ...tool }) => ({
    ...tool,
    input_schema: JSON.stringify(schema),
  }))
}
