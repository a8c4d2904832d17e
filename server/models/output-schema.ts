type Schema = Record<string, unknown>

/** States the output schema in the instructions, for a provider that cannot enforce one. */
export function withSchema(instructions: string, schema: Schema): string {
  const rule =
    'Answer with one JSON object that fits this JSON Schema, and with nothing else: no remarks, no code ' +
    `block.\n\n${JSON.stringify(schema)}`
  return instructions === '' ? rule : `${instructions}\n\n${rule}`
}

/**
 * Whether a schema meets the rules of OpenAI's strict mode: objects list all their properties as required and allow no
 * others. OpenAI refuses any other schema in strict mode.
 */
export function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const { properties, required, additionalProperties, $defs, definitions, items, anyOf, ...rest } =
    schema as Schema
  if (!Object.keys(rest).every((keyword) => strictKeywords.has(keyword))) return false
  const isObject = rest['type'] === 'object' || properties !== undefined
  const names = Object.keys((properties as object | undefined) ?? {})
  const listed = new Set((required as string[] | undefined) ?? [])
  if (isObject && (additionalProperties !== false || !names.every((name) => listed.has(name))))
    return false
  const parts = [properties, $defs, definitions].flatMap((map) => Object.values(map ?? {}))
  const others = [...parts, ...((anyOf as unknown[] | undefined) ?? [])]
  return (items === undefined ? others : [...others, items]).every(isStrict)
}

const strictKeywords = new Set(
  [
    'type',
    'enum',
    'const',
    '$ref',
    'title',
    'description',
    'pattern',
    'format',
    'multipleOf',
  ].concat('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'),
)
