import { randomUUID } from 'node:crypto'
import { OwnedResource } from '../../accounts/owned-resource.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { noteState, showState, untried } from '../../db/connection-state.ts'
import { normalizeEmail } from '../../email-text.ts'
import { cannot } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { checkWorkflow } from '../../workflows/workflows.ts'
import { tryConnection } from './deliver.ts'
import type { Channel, CreateChannel, UpdateChannel } from './schema.ts'
import { newLinkKey, openSecret, sealSecret, type ChannelSecret } from './secret.ts'
import { beginAnnouncing, channels, type ChannelRow } from './store.ts'

/**
 * Channels tell people about cases and alerts, by email or Slack. This file has the operations;
 * saving a channel logs in to its mail server or Slack without sending anything. A notification is
 * stored with what caused it (`notification-store.ts`), sent in the background (`notifier.ts`), and
 * is pending, sent, failed or dropped. People can answer in the message (`slack-clicks.ts`) or on a
 * page that an email links to (`answer-routes.ts`). Channels never decide who may answer.
 */
const owned = new OwnedResource(channels, {
  noun: 'channel',
  plural: 'channels',
  max: 20,
  tooMany: 'too_many_channels',
  toAudited,
})

export async function createChannel(
  ctx: Context,
  id: string,
  { token, signing_secret: signingSecret, ...input }: CreateChannel,
): Promise<Channel> {
  const fields = toFields(input)
  const secret: ChannelSecret = {
    link_key: newLinkKey(),
    ...(token !== undefined && { token }),
    ...(signingSecret != null && { signing_secret: signingSecret }),
  }
  checkKind(ctx, { recipients: [], slack_channel: null, ...fields }, secret)
  await checkWorkflows(ctx, input.workflow_ids, null)
  const row = {
    id,
    ...fields,
    secret: sealSecret(ctx.secrets, ctx.accountId, id, secret),
    has_signing_secret: secret.signing_secret !== undefined,
    version: randomUUID(),
  }
  return showTried(ctx, await owned.create(ctx, row, { renewed: ['secret', 'version'] }))
}

export async function listChannels(ctx: Context, page: PageRequest): Promise<Page<Channel>> {
  const { items, next } = await owned.list(ctx, page)
  return { items: items.map((row) => show(ctx, row)), next }
}

export async function retrieveChannel(ctx: Context, id: string): Promise<Channel> {
  return show(ctx, await findChannel(ctx, id))
}

export async function updateChannel(
  ctx: Context,
  id: string,
  { token, signing_secret: signingSecret, ...input }: UpdateChannel,
): Promise<Channel> {
  const stored = await findChannel(ctx, id)
  await checkWorkflows(ctx, input.workflow_ids, stored.workflow_ids)
  const fields = toFields(input)
  const updated = await ctx.database.transaction().execute(async (transaction) => {
    const before = await owned.lock(transaction, ctx, id)
    const secret = openSecret(ctx.secrets, ctx.accountId, before)
    if (token !== undefined) secret.token = token
    if (signingSecret === null) delete secret.signing_secret
    else if (signingSecret !== undefined) secret.signing_secret = signingSecret
    checkKind(ctx, { ...before, ...fields }, secret)
    const hasSecrets = token !== undefined || signingSecret !== undefined
    if (fields.active === true && !before.active) {
      await beginAnnouncing(transaction, ctx.accountId, id)
    }
    const after = await channels.update(transaction, ctx.accountId, id, {
      ...fields,
      ...(hasSecrets && { secret: sealSecret(ctx.secrets, ctx.accountId, id, secret) }),
      has_signing_secret: secret.signing_secret !== undefined,
      ...(hasSecrets && { version: randomUUID(), ...untried }),
    })
    const changed = { secrets_replaced: hasSecrets }
    await recordAudit(transaction, ctx, {
      objectId: id,
      before: { ...toAudited(before), secrets_replaced: false },
      after: { ...toAudited(after), ...changed },
    })
    return after
  })
  return updated.checked_at === null ? showTried(ctx, updated) : show(ctx, updated)
}

/** Deletes a channel with its messages; their links stop working. */
export function deleteChannel(ctx: Context, id: string): Promise<void> {
  return owned.delete(ctx, id)
}

export function findChannel(ctx: Context, id: string): Promise<ChannelRow> {
  return owned.find(ctx, id)
}

/** Throws if a field names a channel that does not exist in the account. */
export async function checkChannel(ctx: Context, id: string, param: string): Promise<void> {
  if ((await channels.find(ctx.database, ctx.accountId, { id })) !== undefined) return
  const why = `${param} is ${id}, not a channel of this account`
  throw cannot(ctx, 'unknown_channel', why, { param })
}

async function showTried(ctx: Context, row: ChannelRow): Promise<Channel> {
  const finding = await tryConnection(ctx, ctx.accountId, row)
  const state = await noteState(ctx.database, 'channels', ctx.accountId, row, finding)
  return show(ctx, { ...row, ...state })
}

function toFields<T extends { recipients?: string[]; workflow_ids?: string[] | null }>(
  input: T,
): T {
  const { recipients, workflow_ids: workflowIds } = input
  return {
    ...input,
    ...(recipients && { recipients: [...new Set(recipients.map(normalizeEmail))] }),
    ...(workflowIds && { workflow_ids: [...new Set(workflowIds)] }),
  }
}

/** Each kind requires its own fields and rejects those of the other kind. */
function checkKind(
  ctx: Context,
  {
    kind,
    recipients,
    slack_channel: slackChannel,
  }: Pick<ChannelRow, 'kind' | 'recipients' | 'slack_channel'>,
  { token, signing_secret: signingSecret }: ChannelSecret,
): void {
  const refuse = (code: 'required' | 'invalid_value', param: string, why: string): never => {
    throw cannot(ctx, code, `${param} ${why}`, { param })
  }
  if (kind === 'email') {
    if (recipients.length === 0)
      refuse('required', 'recipients', 'is empty, an email channel needs one at least')
    if (slackChannel !== null) refuse('invalid_value', 'slack_channel', 'goes with the kind slack')
    if (token !== undefined) refuse('invalid_value', 'token', 'goes with the kind slack')
    if (signingSecret !== undefined)
      refuse('invalid_value', 'signing_secret', 'goes with the kind slack')
    return
  }
  if (recipients.length > 0) refuse('invalid_value', 'recipients', 'goes with the kind email')
  if (slackChannel === null)
    refuse('required', 'slack_channel', 'is missing, a Slack channel needs it')
  if (token === undefined) refuse('required', 'token', 'is missing, Slack needs a bot token')
}

/**
 * A workflow that was already named may stay although it no longer exists, so that a channel can be
 * sent back as it was read.
 */
async function checkWorkflows(
  ctx: Context,
  ids: string[] | null | undefined,
  before: string[] | null,
): Promise<void> {
  for (const [index, id] of (ids ?? []).entries()) {
    if (before?.includes(id) !== true) await checkWorkflow(ctx, id, `workflow_ids[${index}]`)
  }
}

function show(
  { publicUrl, accountId }: Pick<Context, 'publicUrl' | 'accountId'>,
  row: ChannelRow,
): Channel {
  const {
    secret: _s,
    version: _v,
    has_signing_secret: hasButtons,
    check_message: _m,
    ...shown
  } = row
  const { state, ...found } = showState(row)
  return {
    ...shown,
    has_buttons: hasButtons,
    interactivity_url: row.kind === 'slack' ? `${publicUrl}/slack/${accountId}/${row.id}` : null,
    state: state ?? 'saved',
    ...found,
  }
}

function toAudited(row: ChannelRow): object {
  const { name, kind, workflow_ids, recipients, slack_channel, active, has_signing_secret } = row
  return {
    name,
    kind,
    workflow_ids,
    recipients,
    slack_channel,
    active,
    has_buttons: has_signing_secret,
  }
}
