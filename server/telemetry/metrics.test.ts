import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Services } from '../context.ts'
import { noUsage } from '../models/contract.ts'
import { Metrics } from './metrics.ts'

it('names the models of the deployment alone: an account chooses words in the ids of what it tuned', async () => {
  const services = {
    queue: { stats: async () => ({ ready: 0, oldestSeconds: 0 }) },
    database: undefined,
    models: { find: (id: string) => (id === 'gpt-5.1' ? {} : undefined) },
  }
  const metrics = new Metrics(services as unknown as Services)
  metrics.countUsage('gpt-5.1', { ...noUsage, tokensIn: 1 })
  for (const project of ['apollo', 'gemini']) {
    metrics.countUsage(`ft:gpt-4.1-mini:acme:${project}:1`, { ...noUsage, tokensIn: 2 })
  }
  const { values } = await metrics.tokens.get()
  const counted = values.flatMap(({ labels, value }) =>
    labels.direction === 'in' ? [[labels.model, value]] : [],
  )
  assert.deepEqual(counted, [
    ['gpt-5.1', 1],
    ['other', 4],
  ])
})
