import { createMistral } from '@ai-sdk/mistral'
import { mediaTypes } from '../contract.ts'
import { bearer, defineProvider, noCachePrice, secondHand } from './definition.ts'

export const mistral = defineProvider({
  id: 'mistral',
  label: 'Mistral',
  envPrefix: 'MISTRAL',
  defaultUrl: 'https://api.mistral.ai/v1',
  create: ({ apiKey, baseURL, fetch }) => createMistral({ apiKey, baseURL, fetch }),
  authHeaders: bearer,
  callId: /^[a-zA-Z0-9]{9}$/,
  emptyUsage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  requestIdHeaders: ['mistral-correlation-id'],
  smallModel: 'mistral-small-latest',
  catalog: {
    readOn: '2026-11-22',
    pricesUrl: 'https://docs.mistral.ai/inference/pricing',
    endsUrl: 'https://docs.mistral.ai/models',
    inputsUrl: 'https://docs.mistral.ai/capabilities/vision',
    inputTypes: mediaTypes.filter((type) => type !== 'application/pdf'),
    models: {
      'mistral-small-latest': ['Mistral Small', 256_000, 0.15, 0.6, { note: noCachePrice }],
      'mistral-medium-2604': ['Mistral Medium 3.5', 262_144, 1.5, 7.5, { cached: 0.15 }],
      'mistral-large-4': [
        'Mistral Large 4',
        1_048_576,
        0.68,
        2.09,
        { cached: 0.07, note: `${secondHand}: reduced for a time, else 1.36 and 4.18` },
      ],
      'mistral-large-latest': [
        'Mistral Large',
        262_144,
        0.5,
        1.5,
        { note: `the prices of Mistral Large 3, which this name may have left; ${noCachePrice}` },
      ],
      'codestral-latest': ['Codestral', 256_000, 0.3, 0.9, { note: noCachePrice, inputTypes: [] }],
    },
  },
})
