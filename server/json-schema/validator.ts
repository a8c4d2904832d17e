import type { ValidateFunction } from 'ajv'
import { LRUCache } from 'lru-cache'
import { explain } from '../validation-error.ts'
import { countValues, weigh, type JsonSchema, type Weight } from './check-schema.ts'
import { compileSchema } from './compile.ts'

/**
 * Checks answers and data against a user's schema, with Ajv. `check-schema.ts` has rejected schemas
 * with unbounded work, such as recursive ones; here the work of each check is computed in advance,
 * and a value that would take too long does not fit. Patterns run in a linear-time engine
 * (`linear-pattern.ts`).
 */
export interface Validator {
  /** Steps of a check of this value. */
  workOf(value: unknown): number
  /** The first problem; undefined if the value fits. `root` names the value in messages. */
  findProblem(value: unknown, root: string): Problem | undefined
}

export interface Problem {
  why: string
  /** Path of the first invalid field, such as `items[2].name`; empty for the value itself. */
  path: string
}

/** Compiled schemas by their text; one takes some hundred bytes for each character. */
const known = new LRUCache<string, Validator>({
  maxSize: 100_000,
  sizeCalculation: (_, text) => text.length,
  memoMethod: (text) => create(JSON.parse(text) as JsonSchema),
})

export function validatorOf(text: string): Validator {
  return known.memo(text)
}

/** A task: the first problem of a value with a schema. */
export function checkValue({
  text,
  value,
  root,
}: {
  text: string
  value: unknown
  root: string
}): Problem | undefined {
  return validatorOf(text).findProblem(value, root)
}

/** Limit of steps for a check: a tenth of a second. */
const maxWork = 20_000_000
/** Below this limit, all errors are collected instead of the first. */
const maxWorkForAll = 200_000
const mostProblems = 5
const maxProblemLength = 1_000

function create(schema: JsonSchema): Validator {
  const weight = weigh(schema)
  const check = compileSchema(schema)
  let all: ValidateFunction | undefined
  return {
    workOf: (value) => workOf(value, weight),
    findProblem(value, root) {
      const work = workOf(value, weight)
      if (work > maxWork)
        return { path: '', why: `${root} is too large to be checked against its schema` }
      try {
        if (check(value)) return undefined
      } catch {
        // Ajv's comparisons throw for objects with keys such as `valueOf`.
        return { path: '', why: `${root} has a key that cannot be compared, such as valueOf` }
      }
      let { errors } = check
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
