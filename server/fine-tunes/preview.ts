import type { Context } from '../context.ts'
import { chooseProvider } from './choose-provider.ts'
import type { BaseModel } from './providers/contract.ts'
import type { CreateFineTune, FineTunePreview } from './schema.ts'
import { findProblems, readSource, type Uploaded } from './training/read-source.ts'

/** What providers take where nobody says how many. */
const usualEpochs = 3

/** What a create with the same body would train on. Nothing is sent and nothing stored. */
export async function previewFineTune(
  ctx: Context,
  input: CreateFineTune,
  uploaded: Uploaded,
): Promise<FineTunePreview> {
  const action = 'preview fine-tune'
  const { baseModel } = chooseProvider(ctx, action, input)
  const set = await readSource(ctx, action, input, uploaded)
  return {
    example_count: set.exampleCount,
    token_count: set.tokenCount,
    training_bytes: set.bytes,
    estimated_cost_usd: estimate(baseModel, set.tokenCount, input),
    examples: set.examples,
    problems: findProblems(set),
  }
}

/** Tokens of a job that counts in steps cannot be told beforehand. */
function estimate(
  { trainingRate }: BaseModel,
  tokens: number,
  { hyperparameters = {} }: CreateFineTune,
): number | null {
  if (trainingRate === null || hyperparameters.training_steps !== undefined) return null
  const epochs = hyperparameters.epochs ?? usualEpochs
  return Number(((tokens * epochs * trainingRate) / 1_000_000).toFixed(10))
}
