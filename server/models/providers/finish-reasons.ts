import type { LanguageModelV4FinishReason } from '@ai-sdk/provider'
import type { FinishReason } from '../contract.ts'

/**
 * Why a model stopped, by the words of all vendors: gateways pass them on unchanged, and in any case. They count where
 * the SDK of the provider does not know the word; it knows its own, and may decide by more than the word.
 */
const words: Record<Exclude<FinishReason, 'other' | 'interrupted'>, string> = {
  stop: 'stop end_turn stop_sequence eos eos_token complete completed finish_reason_stop',
  length:
    'length max_tokens max_output_tokens max_completion_tokens model_length max_length token_limit ' +
    'model_context_window_exceeded context_length_exceeded context_window_exceeded',
  'content-filter':
    'content_filter content_filtered safety recitation blocklist prohibited_content spii language refusal ' +
    'image_safety image_prohibited_content guardrail_intervened sensitive error_toxic',
  'tool-calls': 'tool_calls tool_call tool_use function_call function_calls',
  error:
    'error malformed_function_call unexpected_tool_call malformed_response network_error ' +
    'insufficient_system_resource abort aborted',
}

const meanings = new Map(
  Object.entries(words).flatMap(([reason, list]) =>
    list.split(' ').map((word) => [word, reason as FinishReason] as const),
  ),
)

export function readFinishReason({ unified, raw = '' }: LanguageModelV4FinishReason): FinishReason {
  if (unified !== 'other') return unified
  return meanings.get(raw.trim().toLowerCase().replaceAll('-', '_')) ?? unified
}
