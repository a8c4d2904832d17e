import { advanceBatches } from '../batches/advance.ts'
import { advanceBulkOperations } from '../bulk-operations/advance.ts'
import type { Config } from './config.ts'
import type { Services } from '../context.ts'
import type { Notices } from '../db/notices.ts'
import { indexRunWords } from '../engine/journal/run-words.ts'
import { dropContents } from '../files/stored-content.ts'
import { MailboxReader } from '../mailboxes/reader.ts'
import { Tracker } from '../fine-tunes/tracker.ts'
import { checkAlerts } from '../alerts/check.ts'
import { Notifier } from '../channels/notifier.ts'
import { Pruner } from '../retention/retention.ts'
import { eraseAccounts } from '../operator/erase.ts'
import { measureStored } from '../operator/measure.ts'
import { expireWaits } from '../engine/journal/expire.ts'
import { loop } from '../loop.ts'
import { foldUsage } from '../usage/fold.ts'
import { HookRouter } from '../hooks/router.ts'
import { Starter } from '../schedules/starter.ts'
import { Sender } from '../webhooks/sender.ts'
import type { Database } from '../db/client.ts'

interface BackgroundParts {
  services: Services
  /** Connections that requests and runs do not use. */
  background: Database
  notices: Notices
  config: Config
  onError: (error: unknown) => void
}

/**
 * Starts the background loops of a worker process. Each claims its rows if two processes must not
 * work on the same ones.
 */
export function startBackgroundWork(
  stack: AsyncDisposableStack,
  { services, background, notices, config, onError }: BackgroundParts,
): void {
  const { outbound, secrets, log } = services
  const { intervals: every } = config
  const schedule = config.webhookSchedule
  const inBackground = { ...services, database: background }
  const sending = { database: background, outbound, secrets, log, notices, schedule }
  stack.use(new Sender({ ...sending, everyMs: every.deliveriesMs }))
  const notifying = {
    everyMs: every.channelsMs,
    remindersMs: every.remindersMs,
    publicUrl: () => services.publicUrl,
  }
  stack.use(new Notifier(inBackground, notifying))
  stack.use(new MailboxReader(inBackground, every.mailboxesMs))
  stack.use(new Tracker(inBackground, every.fineTunesMs))
  const advance = () => advanceBatches(inBackground)
  const batchesMs = { everyMs: 4 * every.batchesMs, minGapMs: every.batchesMs }
  stack.use(loop({ ...batchesMs, tick: advance, onError }))
  stack.use(new Starter(inBackground, every.schedulesMs))
  stack.use(new HookRouter(inBackground, notices, every.hooksMs))
  const bulk = () => advanceBulkOperations(inBackground)
  stack.use(loop({ everyMs: every.bulkOperationsMs, tick: bulk, onError }))
  const check = () => checkAlerts(inBackground, every.alertsMs / 1_000)
  stack.use(loop({ everyMs: every.alertsMs, tick: check, onError }))
  const pruner = new Pruner(background, config.retention, onError)
  stack.use(loop({ everyMs: every.retentionMs, tick: () => pruner.tick(), onError }))
  const drop = () => dropContents(inBackground, onError)
  stack.use(loop({ everyMs: every.filesMs, tick: drop, onError }))
  const erase = () => eraseAccounts({ database: background, log }, every.erasureSettlesMs)
  stack.use(loop({ everyMs: every.erasureMs, tick: erase, onError }))
  stack.use(loop({ everyMs: every.measureMs, tick: () => measureStored(background), onError }))
  stack.use(loop({ everyMs: every.usageMs, tick: () => foldUsage(background), onError }))
  stack.use(loop({ everyMs: every.runWordsMs, tick: () => indexRunWords(background), onError }))
  stack.use(
    loop({
      everyMs: every.expiryMs,
      tick: async () => (await expireWaits(inBackground)) > 0,
      onError,
    }),
  )
}
