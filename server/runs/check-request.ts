import type { ErrorObject } from 'ajv'
import { CreateRun } from '../engine/wire/run.ts'
import { createValidatorFactory } from '../http/validation.ts'
import type { ErrorCode } from '../errors.ts'
import { isStorableJson } from '../safe-text.ts'
import { explain } from '../validation-error.ts'

/** Validates a request for a run, like the API does. */
const checkRun = createValidatorFactory()({})({ schema: CreateRun, httpPart: 'body' })

export interface Problem {
  code: ErrorCode
  field: string
  why: string
}

/** What is wrong with a request that a template or an older version made. */
export function findProblem(request: CreateRun): Problem | undefined {
  if (!isStorableJson(JSON.stringify(request))) {
    const why = 'it holds a NUL or an unpaired surrogate'
    return { code: 'invalid_characters', field: 'body', why }
  }
  const result = checkRun(request)
  if (result === true) return undefined
  const [first] = result.error as ErrorObject[]
  if (first === undefined) return undefined
  const { code, param, why } = explain(first, 'the run')
  return { code, field: param.split(/[.[]/, 1)[0] || 'input', why }
}
