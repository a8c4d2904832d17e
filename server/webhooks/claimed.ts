import { sql } from 'kysely'
import type { RunTexts } from './delivery.ts'

/** A delivery that this process may attempt now. */
export interface ClaimedDelivery {
  id: string
  accountId: string
  endpointId: string
  eventId: string
  eventType: string
  createdAt: Date
  snapshot: Record<string, unknown>
  scheduledAttempts: number
  isManual: boolean
  url: string
  secret: Buffer
  /** Signs as well while it has not expired. */
  previousSecret: Buffer | null
  runId: string | null
  /** Of its run, as that is now; null for a test event. */
  run: RunTexts | null
}

export interface ClaimLimits {
  /** Deliveries to claim at most. */
  count: number
  /** Attempts in flight, over all processes. */
  perEndpoint: number
  perAccount: number
}

/** A claim expires after this time unless its holder renews it. */
export const leaseSeconds = 8

/** The texts of the table `runs`, which may have no row. */
export const shownRun = sql`
  case when runs.id is not null then json_build_object('input', runs.input,
    'output', runs.output, 'data', runs.data, 'output_json', runs.output_json) end as run`
