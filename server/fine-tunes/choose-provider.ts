import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { FineTuneProvider } from './providers.ts'
import type { BaseModel } from './providers/contract.ts'
import type { CreateFineTune } from './schema.ts'

/** Who trains the base model; refuses hyperparameters that only others take. */
export function chooseProvider(
  ctx: Context,
  action: string,
  { base_model: id, hyperparameters = {} }: CreateFineTune,
): { provider: FineTuneProvider; baseModel: BaseModel } {
  const found = ctx.fineTunes.find(id)
  if (found === undefined) {
    const known = ctx.fineTunes.list.flatMap(({ baseModels }) => baseModels.map((one) => one.id))
    throw new DomainError(
      'unknown_base_model',
      `Cannot ${action}: base_model is ${id}, expected ${known.join(', ')}`,
      { param: 'base_model' },
    )
  }
  const accepted: readonly string[] = found.provider.hyperparameters
  const foreign = Object.keys(hyperparameters).find((name) => !accepted.includes(name))
  if (foreign !== undefined) {
    throw new DomainError(
      'invalid_value',
      `Cannot ${action}: ${found.provider.label} does not accept hyperparameters.${foreign}, expected ${accepted.join(', ')}`,
      { param: `hyperparameters.${foreign}` },
    )
  }
  return found
}
