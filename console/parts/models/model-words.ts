import type { Model } from '../../../sdk/generated.ts'
import { dayMs, formatCount } from '../../ui/text/format.ts'

/** The API warns this long before a model ends. */
const soonDays = 90

/** A model as one line of a list. */
export function optionOf(model: Model): string {
  const { label, id, available, shutdown_date: end } = model
  const name = `${label === id ? id : `${label} · ${id}`}${end === null ? '' : ` · ends ${end}`}`
  return available ? `${name} · ${pricesOf(model)}` : `${name} (no key)`
}

/** Facts about the chosen model. */
export function factsOf(model: Model): string {
  const { context_window: context, price_cached: cached, long_prompt: long, source } = model
  const facts = [
    context === null ? undefined : `${formatCount(context)} tokens of context`,
    `${pricesOf(model)}${cached === null ? '' : `, $${cached} from the cache`}`,
    long === null
      ? undefined
      : `prompts over ${formatCount(long.over)} tokens cost ${long.in} times as much in, ${long.out} times out`,
    model.shutdown_date === null ? undefined : `ends ${model.shutdown_date}`,
    source === null ? undefined : `as published on ${source.date}`,
  ]
  return facts.filter((fact) => fact !== undefined).join(' · ')
}

export function isEnded({ shutdown_date: end }: Model, now: number): boolean {
  return end !== null && Date.parse(end) <= now
}

export function endsSoon({ shutdown_date: end }: Model, now: number): boolean {
  return end !== null && Date.parse(end) - now < soonDays * dayMs
}

function pricesOf({ price_in: priceIn, price_out: priceOut }: Model): string {
  if (priceIn === null || priceOut === null) return 'price not known'
  return `$${priceIn} in, $${priceOut} out per 1M tokens`
}
