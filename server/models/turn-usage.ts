import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Prices, Usage } from './contract.ts'

/**
 * What a call used and what the provider bills for it. The SDKs bring the providers' counts into one shape:
 * cached and reasoning tokens are parts of the totals there, also where a provider states them beside.
 */
export function countTurn(
  { inputTokens, outputTokens }: LanguageModelV4Usage,
  prices: Prices,
): Usage {
  const tokensIn = toCount(inputTokens.total)
  const tokensOut = toCount(outputTokens.total)
  const tokens = {
    tokensIn,
    tokensOut,
    // A part is never more than the whole, whatever a server says.
    tokensCached: Math.min(toCount(inputTokens.cacheRead), tokensIn),
    tokensCacheWritten: Math.min(toCount(inputTokens.cacheWrite), tokensIn),
    tokensReasoning: Math.min(toCount(outputTokens.reasoning), tokensOut),
    // No call uses nothing.
    callsWithoutUsage: tokensIn + tokensOut === 0 ? 1 : 0,
  }
  return { ...tokens, costUsd: costOf(tokens, prices) }
}

/** Twice what the largest model takes; a run of many such calls still fits its columns. */
const mostTokens = 20_000_000

/** What a server says, in whole tokens; what no call can have used is no count. */
function toCount(said = 0): number {
  return said >= 0 && said <= mostTokens ? Math.round(said) : 0
}

/** USD for the tokens of one call, rounded to 10 decimals; unknown prices count as 0. */
export function costOf(
  tokens: Pick<Usage, 'tokensIn' | 'tokensOut' | 'tokensCached' | 'tokensCacheWritten'>,
  { priceIn, priceOut, priceCached, priceCacheWrite, longPrompt }: Prices,
): number {
  const { tokensIn, tokensOut, tokensCached, tokensCacheWritten } = tokens
  const plainIn = priceIn ?? 0
  const isLong = longPrompt !== undefined && tokensIn > longPrompt.over
  const fresh = Math.max(0, tokensIn - tokensCached - tokensCacheWritten)
  const input =
    fresh * plainIn +
    tokensCached * (priceCached ?? plainIn) +
    tokensCacheWritten * (priceCacheWrite ?? plainIn)
  const output = tokensOut * (priceOut ?? 0)
  const usd = isLong ? input * longPrompt.in + output * longPrompt.out : input + output
  return Number((usd / 1_000_000).toFixed(10))
}
