import type { JobStatus, ProviderJob } from './providers/contract.ts'

/** The state machine of a fine-tune, pure. */
export const activeStatuses = ['queued', 'validating', 'running'] as const

export function isActive(status: JobStatus): boolean {
  return (activeStatuses as readonly JobStatus[]).includes(status)
}

/** The changes that a provider's response makes to an active job. */
export type JobChange = Omit<ProviderJob, 'id' | 'status'> & { status: JobStatus }

/** `trainingRate` in USD per 1,000,000 tokens. */
export function toChange(
  current: { status: JobStatus; trainingRate: number | null },
  job: ProviderJob,
): JobChange {
  let status = job.status ?? current.status
  // Without its model the job is not usable yet.
  if (status === 'succeeded' && job.fineTunedModel === null) status = current.status
  return {
    status,
    providerStatus: job.providerStatus,
    fineTunedModel: status === 'succeeded' ? job.fineTunedModel : null,
    trainedTokens: job.trainedTokens,
    costUsd: costOf(status, current.trainingRate, job),
    error: status === 'failed' ? (job.error ?? 'The provider gave no reason') : null,
    startedAt: job.startedAt,
    finishedAt: isActive(status) ? null : job.finishedAt,
  }
}

/** Null if unknown; providers only bill completed training. */
function costOf(
  status: JobStatus,
  trainingRate: number | null,
  { costUsd, trainedTokens }: ProviderJob,
): number | null {
  if (status === 'cancelled') return 0
  if (costUsd !== null) return costUsd
  if (status !== 'succeeded') return 0
  if (trainedTokens === null || trainingRate === null) return null
  return Number(((trainedTokens * trainingRate) / 1_000_000).toFixed(10))
}
