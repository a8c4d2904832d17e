import type { Config } from './config.ts'
import type { Services } from '../context.ts'
import type { Database } from '../db/client.ts'
import type { Notices } from '../db/notices.ts'
import { refreshWork } from '../connectors/oauth/refresh-work.ts'
import { alertWork } from '../sends/alerts/definition.ts'
import { batchWork } from '../sources/batches/definition.ts'
import { threadWork } from '../sources/threads/definition.ts'
import { bulkWork } from '../sources/bulk/definition.ts'
import { channelWork } from '../sends/channels/definition.ts'
import { expireRequests } from '../engine/journal/requests/expire.ts'
import { expireWaits } from '../engine/journal/expire.ts'
import { indexRunWords } from '../engine/journal/run-words.ts'
import { announceEveryMs } from '../engine/queue/presence.ts'
import { removalWork } from '../files/definition.ts'
import { fineTuneWork } from '../fine-tunes/definition.ts'
import { documentWork } from '../connectors/openapi/definition.ts'
import { hookWork } from '../sources/hooks/definition.ts'
import { loop, type LoopOptions } from '../loop.ts'
import { mailboxWork } from '../sources/mailboxes/definition.ts'
import { eraseAccounts } from '../operator/erase.ts'
import { measureStored } from '../operator/measure.ts'
import { Pruner } from '../retention/retention.ts'
import { scheduleWork } from '../sources/schedules/definition.ts'
import { pauseAllFailing } from '../sources/schedules/pause.ts'
import { foldUsage } from '../usage/fold.ts'
import { webhookWork } from '../sends/webhooks/definition.ts'
import type { WorkItem } from '../work/table.ts'
import { Worker, type Work } from '../work/worker.ts'

interface BackgroundParts {
  services: Services
  /** Connections that requests and runs do not use. */
  background: Database
  notices: Notices
  config: Config
  onError: (error: unknown) => void
}

/** Starts the background work of a worker process: work on rows, and chores that have no rows. */
export function startBackgroundWork(
  stack: AsyncDisposableStack,
  { services, background, notices, config, onError }: BackgroundParts,
): void {
  const { log, queue } = services
  const { intervals: every } = config
  const inBackground = { ...services, database: background }
  const start = <Item extends WorkItem, Value>(work: Work<Item, Value>): void => {
    stack.use(new Worker({ database: background, log, notices }, work))
  }
  start(webhookWork(inBackground, config.webhookSchedule, every.deliveriesMs))
  const channels = { ...inBackground, publicUrl: () => services.publicUrl }
  start(channelWork(channels, { everyMs: every.channelsMs, remindersMs: every.remindersMs }))
  start(mailboxWork(inBackground, every.mailboxesMs))
  start(batchWork(inBackground, every.batchesMs))
  start(threadWork(inBackground, every.threadsMs))
  start(scheduleWork(inBackground, every.schedulesMs))
  start(hookWork(inBackground, every.hooksMs))
  start(refreshWork(inBackground, every.loginsMs))
  start(documentWork(inBackground, every.documentsMs))
  start(bulkWork(inBackground, every.bulkOperationsMs))
  start(alertWork(inBackground, every.alertsMs))
  start(fineTuneWork(inBackground, every.fineTunesMs))
  start(removalWork(inBackground, every.filesMs))

  const repeat = (
    everyMs: number,
    tick: LoopOptions['tick'],
    { startsAtOnce = false } = {},
  ): void => {
    stack.use(loop({ everyMs, tick, startsAtOnce, onError }))
  }
  repeat(10 * every.schedulesMs, () => pauseAllFailing(inBackground))
  const pruner = new Pruner(background, config.retention, onError)
  repeat(every.retentionMs, () => pruner.tick())
  repeat(every.erasureMs, () =>
    eraseAccounts({ database: background, log }, every.erasureSettlesMs),
  )
  repeat(every.measureMs, () => measureStored(background))
  repeat(every.usageMs, () => foldUsage(background))
  repeat(every.runWordsMs, () => indexRunWords(background))
  repeat(every.expiryMs, async () => (await expireWaits(inBackground)) > 0)
  repeat(every.requestsMs, async () => (await expireRequests(inBackground)) > 0)
  // Last, so that the process stops counting as a worker before its other work stops.
  stack.defer(() => queue.presence.withdraw().catch(onError))
  repeat(announceEveryMs, () => queue.presence.announce(), { startsAtOnce: true })
}
