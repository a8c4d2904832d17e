import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toChange } from './job.ts'
import type { JobStatus, ProviderJob } from './providers/contract.ts'

const told = (fields: Partial<ProviderJob>): ProviderJob => ({
  id: 'job',
  providerStatus: 'x',
  status: 'running',
  fineTunedModel: null,
  trainedTokens: null,
  costUsd: null,
  error: null,
  startedAt: null,
  finishedAt: null,
  ...fields,
})
const change = (
  fields: Partial<ProviderJob>,
  rate: number | null = 10,
  status: JobStatus = 'running',
) => toChange({ status, trainingRate: rate }, told(fields))

describe('what a provider tells of a job', () => {
  it('is no success before there is a model', () => {
    assert.equal(change({ status: 'succeeded' }).status, 'running')
    assert.equal(change({ status: 'succeeded' }, 10, 'queued').status, 'queued')
    assert.equal(change({ status: 'succeeded', fineTunedModel: 'ft:x' }).status, 'succeeded')
    assert.equal(change({ status: 'running', fineTunedModel: 'ft:x' }).fineTunedModel, null)
  })

  it('leaves the status where its word is not known', () => {
    assert.equal(change({ status: undefined }, 10, 'validating').status, 'validating')
  })

  it('costs what it says, else tokens × rate, and nothing without a model', () => {
    const done = { status: 'succeeded', fineTunedModel: 'ft:x', trainedTokens: 1_500_000 } as const
    assert.equal(change(done).costUsd, 15)
    assert.equal(change({ ...done, costUsd: 3 }).costUsd, 3)
    assert.equal(change(done, null).costUsd, null)
    assert.equal(change({ ...done, trainedTokens: null }).costUsd, null)
    assert.equal(change({ status: 'cancelled', costUsd: 3 }).costUsd, 0)
    assert.equal(change({ status: 'failed', trainedTokens: 9 }).costUsd, 0)
  })

  it('has a reason when it failed', () => {
    assert.equal(change({ status: 'failed', error: 'bad' }).error, 'bad')
    assert.match(change({ status: 'failed' }).error ?? '', /no reason/)
    assert.equal(change({ status: 'running', error: 'bad' }).error, null)
  })
})
