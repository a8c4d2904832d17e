import type { Model } from '../../sdk/index.ts'
import { limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { table } from '../output.ts'

interface ListOptions extends Limited {
  available?: true
}

export function addModels(program: Verbs): void {
  const { verb } = program.noun('models')
  verb(
    'list',
    'list the models, with prices in US dollars per 1,000,000 tokens and shutdown dates',
    ({ muster, options }: Call<ListOptions>) =>
      take(
        options,
        (page) => muster.models.list(page),
        (model) => options.available !== true || model.available,
      ),
    (models) =>
      table(models, ['id', 'provider', 'in', 'cached', 'out', 'ends', 'state'], {
        in: (model) => model.price_in,
        cached: (model) => model.price_cached,
        out: (model) => model.price_out,
        ends: (model) => model.shutdown_date,
        state: stateOf,
      }),
  )
    .option('--available', 'only available models')
    .option(...limit(100))
}

function stateOf({ default: isDefault, available, shutdown_date: end }: Model): string {
  if (end !== null && Date.parse(end) <= Date.now()) return 'ended'
  if (isDefault) return 'default'
  return available ? 'ready' : 'no key'
}
