import { createAnthropic } from '@ai-sdk/anthropic'
import { mediaTypes } from '../contract.ts'
import { defineProvider } from './definition.ts'

/** Anthropic's Messages API. */
export const anthropic = defineProvider({
  id: 'anthropic',
  label: 'Anthropic',
  envPrefix: 'ANTHROPIC',
  defaultUrl: 'https://api.anthropic.com/v1',
  create: ({ apiKey, baseURL, fetch }) => createAnthropic({ apiKey, baseURL, fetch }),
  authHeaders: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  // Caches the prompt up to the mark for five minutes; writing to the cache costs a quarter more.
  cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  emptyUsage: { input_tokens: 0, output_tokens: 0 },
  requestIdHeaders: ['request-id'],
  errors: {
    codes: {
      rate_limit_error: 'rate_limited',
      api_error: 'unavailable',
      overloaded_error: 'unavailable',
      invalid_request_error: 'rejected',
      authentication_error: 'rejected',
      permission_error: 'rejected',
      not_found_error: 'rejected',
      billing_error: 'rejected',
    },
    usedUp: /credit balance is too low/i,
  },
  smallModel: 'claude-haiku-5-5',
  catalog: {
    readOn: '2026-11-22',
    pricesUrl: 'https://platform.claude.com/docs/en/about-claude/pricing',
    endsUrl: 'https://platform.claude.com/docs/en/about-claude/model-deprecations',
    inputsUrl: 'https://platform.claude.com/docs/en/build-with-claude/pdf-support',
    inputTypes: mediaTypes,
    models: {
      'claude-haiku-5-5': [
        'Claude Haiku 5.5',
        1_000_000,
        0.1,
        0.5,
        { cached: 0.01, cacheWrite: 0.125, longPrompt: { over: 100_000, in: 5, out: 5 } },
      ],
      'claude-sonnet-5-5': [
        'Claude Sonnet 5.5',
        1_000_000,
        2,
        10,
        { cached: 0.1, cacheWrite: 2.5 },
      ],
      'claude-opus-5-5': ['Claude Opus 5.5', 1_000_000, 4, 20, { cached: 0.2, cacheWrite: 5 }],
      'claude-haiku-4-5': [
        'Claude Haiku 4.5',
        200_000,
        1,
        5,
        { cached: 0.1, cacheWrite: 1.25, note: 'no date of its end was found' },
      ],
      'claude-sonnet-4-5': [
        'Claude Sonnet 4.5',
        200_000,
        3,
        15,
        { cached: 0.3, cacheWrite: 3.75, note: 'no date of its end was found' },
      ],
    },
  },
})
