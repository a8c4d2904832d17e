import type { ValidateFunction } from 'ajv'
import { explain } from '../validation-error.ts'
import { countValues, weigh, type JsonSchema, type Weight } from './check-schema.ts'
import { compileSchema } from './compile.ts'

/** A stored schema, ready to check values with. */
export interface Validator {
  schema: JsonSchema
  /** What does not fit, the first few; undefined when all does. `root` names the value. */
  findProblem(value: unknown, root: string): Problem | undefined
}

interface Problem {
  /** In words. */
  why: string
  /** Path of the first field at fault, such as `items[2].name`; empty for the value itself. */
  path: string
}

const known = new Map<string, Validator>()
const mostKnown = 200

/** By the text of the schema; the newest few are kept. */
export function validatorOf(text: string): Validator {
  const validator = known.getOrInsertComputed(text, () => create(JSON.parse(text) as JsonSchema))
  if (known.size > mostKnown) known.delete(known.keys().next().value as string)
  return validator
}

/** Steps of a check; this many take a tenth of a second. */
const maxWork = 20_000_000
/** All errors are looked for where that is little. */
const maxWorkForAll = 200_000
const mostProblems = 5
const maxProblemLength = 1_000

function create(schema: JsonSchema): Validator {
  const weight = weigh(schema)
  const fits = compileSchema(schema)
  let all: ValidateFunction | undefined
  return {
    schema,
    findProblem(value, root) {
      const work = workOf(value, weight)
      if (work > maxWork)
        return { path: '', why: `${root} is too large to be checked against its schema` }
      if (fits(value)) return undefined
      let { errors } = fits
      if (work <= maxWorkForAll) {
        all ??= compileSchema(schema, { allErrors: true })
        all(value)
        errors = all.errors
      }
      const problems = (errors ?? []).slice(0, mostProblems).map((error) => explain(error, root))
      const why = [...new Set(problems.map(({ why }) => why))].join('; ')
      return { path: problems[0]?.param ?? '', why: why.slice(0, maxProblemLength) }
    },
  }
}

function workOf(value: unknown, { values, patterns, unique }: Weight): number {
  const count = countValues(value)
  return count * values + 16 * count * patterns + unique * longestList(value) * count
}

function longestList(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? value.length : 0
  return Object.values(value).reduce<number>((most, item) => Math.max(most, longestList(item)), own)
}
