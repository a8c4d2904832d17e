import type { Context } from '../context.ts'
import { cannot, type DomainError } from '../errors.ts'
import { checkWorkflow } from '../workflows/workflows.ts'
import type { CreateFineTune } from './schema.ts'
import { readRuns } from './training/from-runs.ts'
import { maxTrainingBytes, minExamples } from './training/limits.ts'
import type { TrainingSet } from './training/training-set.ts'

/** The value of `training_data` in the request's body. */
export type Uploaded = TrainingSet | 'too-large' | null

/** The training set of a request, valid or not. */
export async function readSource(
  ctx: Context,
  input: CreateFineTune,
  uploaded: Uploaded,
): Promise<TrainingSet> {
  const refused =
    input.source === 'upload' ? (['workflow_id', 'role'] as const) : (['training_data'] as const)
  for (const field of refused) {
    if (input[field] === undefined) continue
    const why = `${field} does not go with the source ${input.source}`
    throw cannot(ctx, 'invalid_value', why, { param: field })
  }
  if (input.source === 'runs') return readRunsOf(ctx, input)
  if (uploaded === null) throw required(ctx, 'training_data')
  if (uploaded !== 'too-large') return uploaded
  const why = `training_data has more than ${maxTrainingBytes} bytes (20 MB)`
  throw cannot(ctx, 'training_data_too_large', why, { param: 'training_data' })
}

async function readRunsOf(
  ctx: Context,
  { workflow_id: workflowId, role }: CreateFineTune,
): Promise<TrainingSet> {
  if (workflowId === undefined) throw required(ctx, 'workflow_id')
  await checkWorkflow(ctx, workflowId)
  return readRuns(ctx, { workflowId, role })
}

/** The problems of a set; `line` is null for a problem of the whole set. */
export function findProblems(set: TrainingSet): { line: number | null; message: string }[] {
  const problems = set.problems.map(({ line, reason }) => ({
    line,
    message: `line ${line} of the training data cannot be used: ${reason}`,
  }))
  if (problems.length > 0 || set.exampleCount >= minExamples) return problems
  const message = `there are ${set.exampleCount} examples, at least ${minExamples}`
  return [{ line: null, message }]
}

function required(ctx: Context, param: string): DomainError {
  return cannot(ctx, 'required', `${param} is required`, { param })
}
