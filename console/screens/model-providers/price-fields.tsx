import type { ReactNode } from 'react'
import type { OwnModel } from '../../../sdk/generated.ts'
import { TextField } from '../../ui/form/field.tsx'

/** What is typed for a model, in US dollars per 1,000,000 tokens; empty for an unknown price. */
interface Price {
  in: string
  out: string
}

export type Prices = Record<string, Price>

const none: Price = { in: '', out: '' }

/** The ids in a list of models, one on each line. */
export function idsOf(text: string): string[] {
  return [...new Set(text.split('\n').map((line) => line.trim()))].filter((id) => id !== '')
}

export function pricesOf(models: readonly OwnModel[]): Prices {
  const shown = (usd: number | undefined): string => usd?.toString() ?? ''
  return Object.fromEntries(
    models.map(({ id, price_in, price_out }) => [
      id,
      { in: shown(price_in), out: shown(price_out) },
    ]),
  )
}

export function withPrices(model: OwnModel, { in: priceIn, out: priceOut } = none): OwnModel {
  const { price_in: _, price_out: __, ...others } = model
  return {
    ...others,
    ...(priceIn.trim() === '' ? {} : { price_in: Number(priceIn) }),
    ...(priceOut.trim() === '' ? {} : { price_out: Number(priceOut) }),
  }
}

interface Props {
  ids: string[]
  prices: Prices
  change: (prices: Prices) => void
}

/** Prices of the models of a server, which no catalog knows. */
export function PriceFields({ ids, prices, change }: Props): ReactNode {
  return (
    <fieldset className="grid gap-3">
      <legend className="text-sm font-medium text-ink-soft">
        Prices (USD per 1M tokens)<span className="font-normal text-ink-faint"> · optional</span>
      </legend>
      <p className="text-xs text-ink-faint">
        {ids.length === 0
          ? 'Name the models to enter their prices, or save first.'
          : 'Without a price, costs are unknown and budgets do not count the calls. Enter 0 for a model that costs nothing.'}
      </p>
      {ids.map((id) => {
        const price = prices[id] ?? none
        const set = (name: keyof Price) => (value: string) =>
          change({ ...prices, [id]: { ...price, [name]: value } })
        return (
          <div
            key={id}
            className="grid grid-cols-2 items-end gap-x-3 gap-y-1 sm:grid-cols-[1fr_7rem_7rem]"
          >
            <span className="col-span-2 min-w-0 font-mono text-sm wrap-anywhere sm:col-span-1 sm:pb-2">
              {id}
            </span>
            <TextField
              label="Input"
              aria-label={`Input price of ${id}`}
              {...number}
              value={price.in}
              onChange={set('in')}
            />
            <TextField
              label="Output"
              aria-label={`Output price of ${id}`}
              {...number}
              value={price.out}
              onChange={set('out')}
            />
          </div>
        )
      })}
    </fieldset>
  )
}

const number = { type: 'number', inputMode: 'decimal', min: 0, step: 'any' } as const
