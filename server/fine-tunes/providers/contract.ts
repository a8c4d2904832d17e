import type { EgressProxy } from '../../outbound/egress-proxy.ts'
import { storable } from '../../storable.ts'

/**
 * What the rest of Muster knows of those who train: a shape of API that a client speaks, and what the
 * operator says of it. Every call is made once; nothing is retried here.
 */
export interface FineTuneClient extends AsyncDisposable {
  /** Uploads JSONL; the id of the file. */
  uploadFile(name: string, content: Blob): Promise<string>
  /** Fine where the file is gone already. */
  deleteFile(id: string): Promise<void>
  /** Fine where the model is gone already; refused where the API does not delete models. */
  deleteModel(id: string): Promise<void>
  createJob(job: NewProviderJob): Promise<ProviderJob>
  retrieveJob(id: string): Promise<ProviderJob>
  cancelJob(id: string): Promise<ProviderJob>
  /** Oldest first, the newest thousand at most. */
  listEvents(jobId: string): Promise<JobEvent[]>
}

export const jobStatuses = [
  'queued',
  'validating',
  'running',
  'succeeded',
  'failed',
  'cancelled',
] as const
export type JobStatus = (typeof jobStatuses)[number]

/** A job as its provider tells it. */
export interface ProviderJob {
  id: string
  /** The provider's own word. */
  providerStatus: string
  /** Undefined for a word that is not known. */
  status: JobStatus | undefined
  fineTunedModel: string | null
  trainedTokens: number | null
  /** What the provider says that it cost. */
  costUsd: number | null
  error: string | null
  startedAt: Date | null
  finishedAt: Date | null
}

/** Those left out have the provider's defaults. */
interface Hyperparameters {
  epochs?: number
  training_steps?: number
  learning_rate?: number
}

export interface NewProviderJob {
  /** Muster's own id. */
  id: string
  fileId: string
  baseModel: string
  suffix: string | null
  hyperparameters: Hyperparameters
}

export interface JobEvent {
  at: Date
  level: string
  message: string
}

export const maxEvents = 1_000

/** Milliseconds for the whole of a call. */
export const timeouts = {
  upload: 120_000,
  create: 60_000,
  read: 5_000,
  change: 10_000,
}

/** USD per 1,000,000 tokens; null where it is not known. */
export interface BaseModel {
  id: string
  label: string
  trainingRate: number | null
  inferenceRate: { in: number; out: number } | null
}

/**
 * - `rejected`: the provider said no, and nothing came of the call
 * - `unknown`: no answer, or one that does not tell; the call may have had its effect
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly kind: 'rejected' | 'unknown'
  /** Of the answer, where there was one. */
  readonly status: number | undefined

  constructor(kind: ProviderError['kind'], message: string, cause?: unknown, status?: number) {
    super(storable(message.slice(0, 1_000)), { cause })
    this.kind = kind
    this.status = status
  }
}

export interface ClientSettings {
  apiKey: string
  baseUrl: string | undefined
  proxy?: EgressProxy | undefined
}
