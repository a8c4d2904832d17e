import { isActive, type ProviderJob } from './job.ts'
import { ProviderError, type FineTuneClient } from './providers/contract.ts'

/** Stops a job at its provider, which refuses that of one that has ended, and for other reasons. */
export async function stopJob(client: FineTuneClient, jobId: string): Promise<ProviderJob> {
  try {
    return await client.cancelJob(jobId)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    const now = await client.retrieveJob(jobId)
    if (now.status === undefined || isActive(now.status)) throw error
    return now
  }
}
