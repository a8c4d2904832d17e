import type { ModelInfo, ModelTurnRequest } from '../../models/contract.ts'

/** Estimated output tokens if no limit is known. */
const usualAnswerTokens = 4_096
/** Conservative: most texts have more characters a token, JSON and some scripts fewer. */
const charsPerToken = 3

/**
 * A rough upper bound of a call's cost: the whole prompt at the full price, and the longest answer.
 */
export function estimateCost(
  { priceIn, priceOut }: Pick<ModelInfo, 'priceIn' | 'priceOut'>,
  request: Pick<ModelTurnRequest, 'instructions' | 'messages' | 'tools' | 'maxOutputTokens'>,
): number {
  const { instructions, messages, tools = [], maxOutputTokens = usualAnswerTokens } = request
  const chars = instructions.length + JSON.stringify(messages).length + JSON.stringify(tools).length
  const usd = (chars / charsPerToken) * (priceIn ?? 0) + maxOutputTokens * (priceOut ?? 0)
  return usd / 1_000_000
}
