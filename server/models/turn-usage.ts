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
  const tokensIn = inputTokens.total ?? 0
  const tokensOut = outputTokens.total ?? 0
  const tokens = {
    tokensIn,
    tokensOut,
    // A part is never more than the whole, whatever a server says.
    tokensCached: Math.min(inputTokens.cacheRead ?? 0, tokensIn),
    tokensCacheWritten: Math.min(inputTokens.cacheWrite ?? 0, tokensIn),
    tokensReasoning: Math.min(outputTokens.reasoning ?? 0, tokensOut),
    // No call uses nothing.
    callsWithoutUsage: tokensIn + tokensOut === 0 ? 1 : 0,
  }
  return { ...tokens, costUsd: costOf(tokens, prices) }
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
