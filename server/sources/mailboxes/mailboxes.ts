import { randomUUID } from 'node:crypto'
import { changedBy, createdBy } from '../../accounts/authors.ts'
import { OwnedResource } from '../../accounts/owned-resource.ts'
import { recordAudit } from '../../audit/record.ts'
import { hideSecrets } from '../../connectors/secret.ts'
import type { Context } from '../../context.ts'
import { noteState, showState, untried, type Finding } from '../../db/connection-state.ts'
import { cannot } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { checkWorkflow } from '../../workflows/workflows.ts'
import { endOf, ImapError, securityOf, withImap } from './imap.ts'
import type {
  CreateMailbox,
  Mailbox,
  MailboxMessage,
  MailboxTest,
  UpdateMailbox,
} from './schema.ts'
import { mailboxPlace, serverOf } from './secret.ts'
import {
  beginReading,
  listMessages,
  mailboxes,
  recordStart,
  type MailboxRow,
  type Position,
} from './store.ts'

/** Mailboxes of an account; `definition.ts` reads them. Saving one logs in and opens the folder. */
const owned = new OwnedResource(mailboxes, {
  noun: 'mailbox',
  plural: 'mailboxes',
  max: 20,
  tooMany: 'too_many_mailboxes',
  toAudited,
})

export async function createMailbox(
  ctx: Context,
  id: string,
  { password, ...input }: CreateMailbox,
): Promise<Mailbox> {
  await checkWorkflow(ctx, input.workflow_id)
  const row = {
    id,
    folder: 'INBOX',
    poll_seconds: 60,
    secure: securityOf(input.port),
    ...normalized(input),
    ...sealed(ctx, id, password),
    ...createdBy(ctx.actor),
  }
  return showTried(ctx, await owned.create(ctx, row, { renewed: ['secret', 'version'] }))
}

export async function listMailboxes(ctx: Context, page: PageRequest): Promise<Page<Mailbox>> {
  const { items, next } = await owned.list(ctx, page)
  return { items: items.map(show), next }
}

export async function retrieveMailbox(ctx: Context, id: string): Promise<Mailbox> {
  return show(await owned.find(ctx, id))
}

export async function updateMailbox(
  ctx: Context,
  id: string,
  { password, ...input }: UpdateMailbox,
): Promise<Mailbox> {
  const stored = await owned.find(ctx, id)
  if (input.workflow_id !== undefined && input.workflow_id !== stored.workflow_id) {
    await checkWorkflow(ctx, input.workflow_id)
  }
  const { row, isTried } = await ctx.database.transaction().execute(async (transaction) => {
    const before = await owned.lock(transaction, ctx, id)
    const fields = normalized(input)
    const changes = (name: keyof typeof fields & keyof MailboxRow): boolean =>
      fields[name] !== undefined && fields[name] !== before[name]
    const isElsewhere =
      changes('host') || changes('port') || changes('secure') || changes('username')
    if (isElsewhere && password === undefined) {
      const why = 'password is missing, the stored one is for another server or user'
      throw cannot(ctx, 'required', why, { param: 'password' })
    }
    const isOther = isElsewhere || changes('folder') || password !== undefined
    const isActivated = fields.active === true && !before.active
    const isRestarted = isElsewhere || changes('folder') || isActivated
    const row = await mailboxes.update(transaction, ctx.accountId, id, {
      ...fields,
      ...changedBy(before, ctx.actor),
      ...(password !== undefined && sealed(ctx, id, password)),
      ...(isOther && { version: randomUUID(), ...untried }),
    })
    const begun = isRestarted ? await beginReading(transaction, ctx.accountId, id) : row
    await recordAudit(transaction, ctx, {
      objectId: id,
      before: { ...toAudited(before), password_replaced: false },
      after: { ...toAudited(row), password_replaced: password !== undefined },
    })
    return { row: begun, isTried: isOther || isRestarted }
  })
  return isTried ? showTried(ctx, row) : show(row)
}

/** Deletes a mailbox with the records of its messages. The messages on the mail server stay. */
export function deleteMailbox(ctx: Context, id: string): Promise<void> {
  return owned.delete(ctx, id)
}

export async function testMailbox(ctx: Context, id: string): Promise<MailboxTest> {
  const row = await owned.find(ctx, id)
  const { position: _, ...tested } = await tryMailbox(ctx, row)
  await noteState(ctx.database, 'mailboxes', ctx.accountId, row, tested)
  await recordAudit(ctx.database, ctx, { objectId: id, after: { ok: tested.ok } })
  return tested
}

/** Newest first, 50 by default. */
export async function listMailboxMessages(
  ctx: Context,
  id: string,
  { limit = 50, after }: PageRequest,
  status: MailboxMessage['status'] | undefined,
): Promise<Page<MailboxMessage>> {
  await owned.find(ctx, id)
  return listMessages(ctx.reads, ctx.accountId, id, { limit, after, status })
}

async function showTried(ctx: Context, row: MailboxRow): Promise<Mailbox> {
  const { position, ...finding } = await tryMailbox(ctx, row)
  const state = await noteState(ctx.database, 'mailboxes', ctx.accountId, row, finding)
  const box = { ...row, accountId: ctx.accountId }
  if (position !== undefined) await recordStart(ctx.database, box, position)
  return show({ ...row, ...state })
}

/** Logs in and opens the folder. `position` is its end: earlier messages start no run. */
async function tryMailbox(
  ctx: Context,
  row: MailboxRow,
): Promise<Finding & { position?: Position }> {
  const server = serverOf(ctx.secrets, ctx.accountId, row)
  try {
    const folder = await withImap(ctx.outbound, server, (client) =>
      client.mailboxOpen(row.folder, { readOnly: true }),
    )
    const message = `${row.host} accepted the login; ${row.folder} has ${folder.exists} messages`
    return { ok: true, message, position: endOf(folder) }
  } catch (error) {
    if (!(error instanceof ImapError)) throw error
    return { ok: false, message: hideSecrets(error.message, { password: server.password }) }
  }
}

function normalized<T extends { senders?: string[] | null }>(input: T): T {
  const { senders } = input
  return senders == null ? input : { ...input, senders: senders.map((one) => one.toLowerCase()) }
}

function sealed({ secrets, accountId }: Context, id: string, password: string) {
  const secret = secrets.seal(Buffer.from(password), mailboxPlace(accountId, id))
  return { secret, version: randomUUID() }
}

function show(row: MailboxRow): Mailbox {
  const { secret: _s, version: _v, check_message: _m, starts_at: _st, ...rest } = row
  const { uid_validity: _u, last_uid: _l, rereads: _r, authors: _a, ...shown } = rest
  const { state, ...found } = showState(row)
  const secure = row.secure ?? securityOf(row.port)
  return { ...shown, secure, state: state ?? 'saved', ...found }
}

function toAudited(row: MailboxRow): object {
  const { name, host, port, secure, username, folder, workflow_id, active } = row
  const { senders, require_authenticated, authserv_id, subject_contains } = row
  const filter = { senders, require_authenticated, authserv_id, subject_contains }
  return { name, host, port, secure, username, folder, workflow_id, ...filter, active }
}
