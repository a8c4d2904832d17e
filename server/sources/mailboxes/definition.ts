import type { ImapFlow } from 'imapflow'
import { findCallContext } from '../../connectors/call-context.ts'
import { toMailbox } from '../../connectors/email-address.ts'
import { hideSecrets } from '../../connectors/secret.ts'
import type { Services } from '../../context.ts'
import { noteUse, type Finding } from '../../db/connection-state.ts'
import { logFailure } from '../../db/outage.ts'
import { normalizeEmail } from '../../email-text.ts'
import { outcomeOf, reasonOf, type Later } from '../../work/outcome.ts'
import { settleRows } from '../../work/table.ts'
import type { Work } from '../../work/worker.ts'
import { endOf, ImapError, withImap } from './imap.ts'
import { serverOf } from './secret.ts'
import { polling, recordPosition, recordStart, type ClaimedMailbox } from './store.ts'
import { takeMessage } from './take-message.ts'

/**
 * Mailboxes as work: new messages are read, oldest first, and each starts a run (`take-message.ts`). Nothing is ever
 * deleted on the mail server. If UIDVALIDITY changes, the folder is read again: until all of it was read, messages from
 * before the mailbox was created start no run, and known messages never start a second one. A message that cannot be
 * read or started is failed with the reason, and the next one is read; any other error makes the mailbox failing.
 */
export function mailboxWork(services: Services, everyMs: number): Work<ClaimedMailbox> {
  return {
    what: 'a pass over a mailbox',
    table: polling,
    atOnce: 10,
    perAccount: 5,
    everyMs,
    run: (box, signal) => readMailbox(services, box, signal),
    async settle(settled) {
      const rows = settled.map(({ accountId, item: { id, poll_seconds }, waitSeconds }) => ({
        accountId,
        id,
        isCertain: true,
        waitSeconds: waitSeconds ?? poll_seconds,
        values: {},
      }))
      await settleRows(services.database, polling, rows)
    },
  }
}

/** Limit of messages for one pass; the next pass follows at once. */
const perPass = 50
const dayMs = 86_400_000
/** How much the mail server's clock may be behind. */
const skewMs = 300_000
/** Longest time in seconds until a message that waits is tried again. */
const maxPause = 60

/** Makes a pass; it always ends with the time of the next one. */
async function readMailbox(
  services: Services,
  box: ClaimedMailbox,
  signal: AbortSignal,
): Promise<Later> {
  const { secrets, outbound, log } = services
  let seconds = box.poll_seconds
  let finding: Finding | undefined = { ok: true, message: 'It was read' }
  try {
    const server = serverOf(secrets, box.accountId, box)
    try {
      seconds = await withImap(outbound, server, (client) =>
        readFolder(services, box, client, signal),
      )
    } catch (error) {
      if (error instanceof ImapError) {
        const message = hideSecrets(error.message, { password: server.password })
        finding = { ok: false, message }
      } else {
        // A shortage of this service says nothing about the mailbox.
        const outcome = outcomeOf(error)
        if (outcome?.kind !== 'later') throw error
        logFailure(log, error, 'a mailbox was not read', { mailboxId: box.id })
        finding = undefined
        seconds = outcome.seconds
      }
    }
  } catch (error) {
    logFailure(log, error, 'a mailbox was not read', { mailboxId: box.id })
    const message = outcomeOf(error)?.why ?? `Reading stopped: ${reasonOf(error)}`
    finding = { ok: false, message }
  }
  if (finding !== undefined) await noteUse(services, 'mailboxes', box.accountId, box, finding)
  return { kind: 'later', why: '', seconds, isSteady: true }
}

/** Returns the seconds to the next pass. */
async function readFolder(
  services: Services,
  box: ClaimedMailbox,
  client: ImapFlow,
  signal: AbortSignal,
): Promise<number> {
  const end = endOf(await client.mailboxOpen(box.folder))
  const { database } = services
  if (box.uid_validity === null) {
    // Messages that exist when the folder is first opened start no run.
    await recordStart(database, box, end)
    return box.poll_seconds
  }
  const { uidValidity } = end
  const isRenumbered = box.uid_validity !== uidValidity
  const rereads = isRenumbered || box.rereads
  const lastUid = isRenumbered ? 0 : box.last_uid
  const since = new Date(box.starts_at.getTime() - dayMs)
  const query = { uid: `${lastUid + 1}:*`, ...(rereads && { since }) }
  const found = (await client.search(query, { uid: true })) || []
  // A range that ends in * always includes the last message, even if its number is lower.
  const uids = found.filter((uid) => uid > lastUid).sort((a, b) => a - b)
  const own = uids.length === 0 ? [] : await ownAddresses(services, box)
  const after = rereads ? new Date(box.starts_at.getTime() - skewMs) : null
  for (const uid of uids.slice(0, perPass)) {
    if (signal.aborted) return 0
    const later = await takeMessage(services, box, client, { uidValidity, uid }, { own, after })
    // The next pass starts with this message, so that messages keep their order.
    if (later !== undefined) return Math.max(later.seconds, Math.min(box.poll_seconds, maxPause))
    await recordPosition(database, box, { uidValidity, lastUid: uid, rereads })
  }
  if (uids.length > perPass) return 0
  if (rereads) await recordPosition(database, box, { ...end, rereads: false })
  return box.poll_seconds
}

/** Senders whose messages would loop: the mailbox itself, and the sender of `email.send`. */
async function ownAddresses(services: Services, box: ClaimedMailbox): Promise<string[]> {
  const email = await findCallContext(services, box.accountId, 'email')
  const from = email?.credentials['from']
  const sender = typeof from === 'string' ? [toMailbox(from).address] : []
  return [box.username, ...sender].map(normalizeEmail)
}
