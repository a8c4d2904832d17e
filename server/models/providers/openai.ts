import { createOpenAI } from '@ai-sdk/openai'
import { mediaTypes } from '../contract.ts'
import { bearer, defineProvider, doubledPast, noCachePrice, secondHand } from './definition.ts'

/** OpenAI's bound; compatible servers have ids of their own form within it. */
export const openaiCallId = /^[\x21-\x7e]{1,64}$/

/** OpenAI's Responses API. */
export const openai = defineProvider({
  id: 'openai',
  label: 'OpenAI',
  envPrefix: 'OPENAI',
  defaultUrl: 'https://api.openai.com/v1',
  create: ({ apiKey, baseURL, fetch }) => createOpenAI({ apiKey, baseURL, fetch }),
  authHeaders: bearer,
  callId: openaiCallId,
  // Nothing is stored there: each turn sends the whole conversation again.
  callOptions: (strict) => ({
    openai: { store: false, ...(strict !== undefined && { strictJsonSchema: strict }) },
  }),
  emptyUsage: { input_tokens: 0, output_tokens: 0 },
  requestIdHeaders: ['x-request-id'],
  errors: {
    codes: {
      insufficient_quota: 'used_up',
      billing_hard_limit_reached: 'used_up',
      billing_not_active: 'used_up',
      rate_limit_exceeded: 'rate_limited',
      server_error: 'unavailable',
      invalid_request_error: 'rejected',
    },
    usedUp: /check your plan and billing|insufficient_quota/i,
    tooLarge: /too large[^]*must be reduced/i,
  },
  smallModel: 'gpt-6-luna',
  catalog: {
    readOn: '2026-11-22',
    pricesUrl: 'https://developers.openai.com/api/docs/pricing',
    endsUrl: 'https://developers.openai.com/api/docs/deprecations',
    inputsUrl: 'https://developers.openai.com/api/docs/guides/file-inputs',
    inputTypes: mediaTypes,
    models: {
      'gpt-6-luna': [
        'GPT-6 Luna',
        1_050_000,
        0.1,
        0.5,
        { cached: 0.01, cacheWrite: 0.125, longPrompt: doubledPast(272_000) },
      ],
      'gpt-6.2-sol': [
        'GPT-6.2 Sol',
        1_050_000,
        2,
        10,
        { longPrompt: doubledPast(272_000), note: `${secondHand}; ${noCachePrice}` },
      ],
      'gpt-6.2-astra': [
        'GPT-6.2 Astra',
        1_050_000,
        8,
        40,
        { longPrompt: doubledPast(272_000), note: `${secondHand}; ${noCachePrice}` },
      ],
      'gpt-6.1-sol': [
        'GPT-6.1 Sol',
        1_050_000,
        2,
        10,
        {
          cached: 0.1,
          cacheWrite: 2.5,
          longPrompt: doubledPast(272_000),
          note: 'the price of cache writes was not found: it is taken from its siblings, 1.25 of input',
        },
      ],
      'gpt-6-astra': [
        'GPT-6 Astra',
        1_050_000,
        10,
        50,
        { cached: 1, cacheWrite: 12.5, longPrompt: doubledPast(272_000) },
      ],
      'gpt-5.4': [
        'GPT-5.4',
        1_050_000,
        2.5,
        15,
        { cached: 0.25, longPrompt: doubledPast(272_000) },
      ],
      'gpt-5.4-mini': ['GPT-5.4 mini', 400_000, 0.75, 4.5, { cached: 0.075 }],
      'gpt-4.1': ['GPT-4.1', 1_047_576, 2, 8, { cached: 0.5, ends: '2027-01-14' }],
      'gpt-4.1-mini': ['GPT-4.1 mini', 1_047_576, 0.4, 1.6, { cached: 0.1, ends: '2027-01-14' }],
      'gpt-4.1-nano': ['GPT-4.1 nano', 1_047_576, 0.1, 0.4, { cached: 0.025, ends: '2026-10-23' }],
      // Snapshots that can be tuned; their figures are the undated model's.
      'gpt-4.1-2025-04-14': [
        'GPT-4.1 (2025-04-14)',
        1_047_576,
        2,
        8,
        { cached: 0.5, ends: '2027-01-14' },
      ],
      'gpt-4.1-mini-2025-04-14': [
        'GPT-4.1 mini (2025-04-14)',
        1_047_576,
        0.4,
        1.6,
        { cached: 0.1, ends: '2027-01-14' },
      ],
    },
  },
})
