import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Prices, Usage } from './contract.ts'

/**
 * Tokens and cost of a call. The SDKs bring the providers' counts into one form, in which cached and reasoning tokens are
 * included in the totals.
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
    // A server may report a part that is larger than the whole.
    tokensCached: Math.min(toCount(inputTokens.cacheRead), tokensIn),
    tokensCacheWritten: Math.min(toCount(inputTokens.cacheWrite), tokensIn),
    tokensReasoning: Math.min(toCount(outputTokens.reasoning), tokensOut),
    // No call uses nothing.
    callsWithoutUsage: tokensIn + tokensOut === 0 ? 1 : 0,
  }
  return { ...tokens, costUsd: costOf(tokens, prices) }
}

/** Twice the largest model's context window; the sum of many such calls still fits its columns. */
const maxTokens = 20_000_000

/** Whole tokens; 0 for a number that no call can have used. */
function toCount(reported = 0): number {
  return reported >= 0 && reported <= maxTokens ? Math.round(reported) : 0
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
