import type { ErrorObject } from 'ajv'
import { CreateRun } from '../engine/wire/run.ts'
import { createValidatorFactory } from '../http/validation.ts'
import { isStorableJson } from '../safe-text.ts'
import { explain } from '../validation-error.ts'

/** Validates a request for a run, like the API does. */
const checkRun = createValidatorFactory()({})({ schema: CreateRun, httpPart: 'body' })

/** The field at fault of a request that a template or an older version made, and why. */
export function findProblem(request: CreateRun): { field: string; why: string } | undefined {
  if (!isStorableJson(JSON.stringify(request))) {
    return { field: 'body', why: 'it holds a NUL or an unpaired surrogate' }
  }
  const result = checkRun(request)
  if (result === true) return undefined
  const [first] = result.error as ErrorObject[]
  if (first === undefined) return undefined
  const { param, why } = explain(first, 'the run')
  return { field: param.split(/[.[]/, 1)[0] || 'input', why }
}
