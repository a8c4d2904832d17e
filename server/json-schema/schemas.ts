import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { cannot } from '../errors.ts'
import { defineTask, type Caller } from '../sandbox/sandbox.ts'
import { TaskEnded } from '../sandbox/thread.ts'
import type * as checkTasks from './check-schema.ts'
import { findProblemIn, type JsonSchema } from './check-schema.ts'
import type * as valueTasks from './validator.ts'
import { validatorOf, type Problem } from './validator.ts'

/**
 * Schemas of users: compiled, and values checked against them, at once where that takes some milliseconds, else in a
 * thread that can be ended.
 */
const at = { line: 'quick', from: import.meta.url, maxMs: 2_000, maxMb: 128 } as const
const findProblemInThread = defineTask<typeof checkTasks.findProblemIn>({
  ...at,
  file: './check-schema',
  name: 'findProblemIn',
})
const checkInThread = defineTask<typeof valueTasks.checkValue>({
  ...at,
  file: './validator',
  name: 'checkValue',
})

/** Characters of schemas that are compiled at once. */
const maxHere = 3_000
/** Steps of a check that is made at once. */
const maxWorkHere = 1_000_000

const accepted = new LRUCache<string, true>({ max: 1_000 })

/** Throws for the first schema that cannot be used, with the path of the problem. */
export async function refuseSchemas(
  caller: Caller,
  given: { param: string; schema: JsonSchema | null | undefined }[],
): Promise<void> {
  const named = given.flatMap(({ param, schema }) => {
    if (schema == null) return []
    const text = JSON.stringify(schema)
    const key = hash('sha256', text, 'base64')
    return accepted.has(key) ? [] : [{ param, schema, key, length: text.length }]
  })
  if (named.length === 0) return
  const schemas = named.map(({ schema }) => schema)
  const length = named.reduce((sum, one) => sum + one.length, 0)
  const problem =
    length <= maxHere ? findProblemIn(schemas) : await findProblemApart(caller, schemas)
  if (problem !== undefined) {
    const { param = '' } = named[problem.index] ?? {}
    const place = problem.path === '' ? param : `${param}.${problem.path}`
    throw cannot(caller, 'invalid_schema', `${place} ${problem.why}`, {
      param: place.slice(0, 500),
    })
  }
  // So that a schema which was checked before a transaction is not compiled again within it.
  for (const { key } of named) accepted.set(key, true)
}

async function findProblemApart(
  caller: Caller,
  schemas: JsonSchema[],
): Promise<ReturnType<typeof findProblemIn>> {
  try {
    return await findProblemInThread(caller, schemas)
  } catch (error) {
    if (!(error instanceof TaskEnded)) throw error
    return { index: 0, path: '', why: `cannot be compiled with the others: ${error.message}` }
  }
}

/** The first problem of a value with a schema, given as JSON text; `root` names the value in messages. */
export async function checkValue(
  caller: Caller,
  text: string,
  value: unknown,
  root: string,
): Promise<Problem | undefined> {
  if (text.length <= maxHere) {
    const validator = validatorOf(text)
    if (validator.workOf(value) <= maxWorkHere) return validator.findProblem(value, root)
  }
  try {
    return await checkInThread(caller, { text, value, root })
  } catch (error) {
    if (!(error instanceof TaskEnded)) throw error
    return { path: '', why: `${root} cannot be checked against its schema: ${error.message}` }
  }
}
