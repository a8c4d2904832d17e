import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { noteState } from '../../db/connection-state.ts'
import { findChannel } from './channels.ts'
import { deliverEmail, findMailServer, postToSlack, type Delivered } from './deliver.ts'
import { toEmail } from './email-message.ts'
import type { ChannelTest } from './schema.ts'
import { plainMessage } from './slack-message.ts'
import type { ChannelRow } from './store.ts'

/** Sends a test message to every recipient immediately, without retries. */
export async function testChannel(ctx: Context, id: string): Promise<ChannelTest> {
  const channel = await findChannel(ctx, id)
  const tested = await sendTest(ctx, channel)
  await noteState(ctx.database, 'channels', ctx.accountId, channel, tested)
  await recordAudit(ctx.database, ctx, { objectId: id, after: { ok: tested.ok } })
  return tested
}

const title = 'Test message from Muster'

async function sendTest(ctx: Context, channel: ChannelRow): Promise<ChannelTest> {
  const { name, kind, recipients, slack_channel: slackChannel } = channel
  const text = `The channel ${name} works. Cases that wait for an answer will be announced here.`
  const link = { label: 'Open inbox', url: `${ctx.publicUrl}/inbox` }
  if (kind === 'slack') {
    const posted = await postToSlack(ctx, ctx.accountId, channel, plainMessage(title, text, link))
    return posted.ok
      ? { ok: true, message: `Slack posted the message to ${slackChannel}` }
      : { ok: false, message: posted.why }
  }
  const footer = `You get this because you are a recipient of the channel ${name} of Muster.`
  const body = toEmail({
    subject: title,
    lines: [title, text],
    fields: [],
    texts: [],
    action: link,
    footer,
  })
  const key = `test ${ctx.audit.id}`
  const server = await findMailServer(ctx, ctx.accountId)
  const results = await Promise.all(
    recipients.map(async (to): Promise<[string, Delivered]> => {
      return [to, await deliverEmail(server, { to, ...body, key: `${key} ${to}` })]
    }),
  )
  const failed = results.flatMap(([to, sent]) => (sent.ok ? [] : [`${to}: ${sent.why}`]))
  if (failed.length > 0) return { ok: false, message: failed.join('; ').slice(0, 1_000) }
  return { ok: true, message: `The mail server took the message for ${recipients.join(', ')}` }
}
