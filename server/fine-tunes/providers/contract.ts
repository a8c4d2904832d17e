import type { EgressProxy } from '../../outbound/egress-proxy.ts'
import { storable } from '../../safe-text.ts'

/**
 * The interface of fine-tuning providers for the rest of Muster: a client for the provider's API,
 * and the operator's settings. Every call is sent once; nothing is retried here.
 */
export interface FineTuneClient extends AsyncDisposable {
  /** Uploads JSONL; returns the id of the file. */
  uploadFile(name: string, content: Blob): Promise<string>
  /** Succeeds if the file does not exist. */
  deleteFile(id: string): Promise<void>
  /** Succeeds if the model does not exist; fails if the API cannot delete models. */
  deleteModel(id: string): Promise<void>
  createJob(job: NewProviderJob): Promise<ProviderJob>
  retrieveJob(id: string): Promise<ProviderJob>
  cancelJob(id: string): Promise<ProviderJob>
  /** Oldest first, up to the newest thousand. */
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

/** A job in the provider's response. */
export interface ProviderJob {
  id: string
  /** The provider's own status. */
  providerStatus: string
  /** Undefined for an unknown status. */
  status: JobStatus | undefined
  fineTunedModel: string | null
  trainedTokens: number | null
  /** The cost that the provider reports. */
  costUsd: number | null
  error: string | null
  startedAt: Date | null
  finishedAt: Date | null
}

/** Omitted ones have the provider's defaults. */
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

/** Timeouts for whole calls, in milliseconds. */
export const timeouts = {
  upload: 120_000,
  create: 60_000,
  read: 5_000,
  change: 10_000,
}

/** USD per 1,000,000 tokens; null if unknown. */
export interface BaseModel {
  id: string
  label: string
  trainingRate: number | null
  inferenceRate: { in: number; out: number } | null
}

/**
 * - `rejected`: the provider refused; the call had no effect
 * - `unknown`: no response, or an unclear one; the call may have had its effect
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly kind: 'rejected' | 'unknown'
  /** Status of the response, if there was one. */
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
