import { createGoogle } from '@ai-sdk/google'
import { mediaTypes } from '../contract.ts'
import { defineProvider, doubledPast } from './definition.ts'

/** Google's Gemini API with an API key, not Vertex AI. */
export const google = defineProvider({
  id: 'google',
  label: 'Google',
  envPrefix: 'GOOGLE_GENERATIVE_AI',
  defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
  create: ({ apiKey, baseURL, fetch }) => createGoogle({ apiKey, baseURL, fetch }),
  authHeaders: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  callId: /^[\x21-\x7e]{1,200}$/,
  requestIdHeaders: ['x-goog-request-id'],
  errors: {
    codes: {
      resource_exhausted: 'rate_limited',
      internal: 'unavailable',
      unavailable: 'unavailable',
      invalid_argument: 'rejected',
    },
    retryDelayMs,
  },
  smallModel: 'gemini-3.1-flash-lite',
  catalog: {
    readOn: '2026-11-22',
    pricesUrl: 'https://ai.google.dev/gemini-api/docs/pricing',
    endsUrl: 'https://ai.google.dev/gemini-api/docs/deprecations',
    inputsUrl: 'https://ai.google.dev/gemini-api/docs/document-processing',
    inputTypes: mediaTypes.filter((type) => type !== 'image/gif'),
    models: {
      'gemini-3.8-flash': [
        'Gemini 3.8 Flash',
        1_048_576,
        0.75,
        3.75,
        { cached: 0.075, note: 'introductory prices through 2026-12-31, then 1.50 and 7.50' },
      ],
      'gemini-3.5-flash-lite': ['Gemini 3.5 Flash-Lite', 1_048_576, 0.3, 2.5, { cached: 0.03 }],
      'gemini-3.1-flash-lite': [
        'Gemini 3.1 Flash-Lite',
        1_048_576,
        0.25,
        1.5,
        { cached: 0.025, ends: '2027-05-07' },
      ],
      'gemini-2.5-pro': [
        'Gemini 2.5 Pro',
        1_048_576,
        1.25,
        10,
        { cached: 0.125, longPrompt: doubledPast(200_000), ends: '2026-12-01' },
      ],
      'gemini-2.5-flash': [
        'Gemini 2.5 Flash',
        1_048_576,
        0.3,
        2.5,
        { cached: 0.03, ends: '2026-12-01' },
      ],
    },
  },
})

/** `RetryInfo` in the error's details; its `retryDelay` is "27s", "1.5s", or seconds and nanoseconds. */
function retryDelayMs(error: unknown): number | undefined {
  const { details } = (error ?? {}) as { details?: unknown }
  if (!Array.isArray(details)) return undefined
  const delay = (details as ({ retryDelay?: unknown } | null)[])
    .map((detail) => detail?.retryDelay)
    .find((found) => found !== undefined)
  if (typeof delay === 'string' && /^\d{1,9}(?:\.\d{1,9})?s$/.test(delay)) {
    return Math.round(Number(delay.slice(0, -1)) * 1_000)
  }
  const { seconds = 0, nanos = 0 } = (delay ?? {}) as { seconds?: unknown; nanos?: unknown }
  const ms = Number(seconds) * 1_000 + Number(nanos) / 1e6
  return ms > 0 ? Math.round(ms) : undefined
}
