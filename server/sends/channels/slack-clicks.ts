import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { callSlack, refusalOf } from '../../connectors/slack.ts'
import type { Services } from '../../context.ts'
import { findCase } from '../../engine/reads/cases.ts'
import { requestsOf } from '../../engine/run/case.ts'
import { cannot, DomainError } from '../../errors.ts'
import { derivedId } from '../../ids.ts'
import { findPerson, type Person } from '../../people/find-person.ts'
import { readPolicies } from '../../policies/read.ts'
import { needsSignIn } from '../../policies/rules.ts'
import { allows } from '../../identity.ts'
import { respondToRun } from '../../runs/respond.ts'
import { actFor } from './act-for.ts'
import { slackContext } from './deliver.ts'
import { findLinked, type Linked } from './notification-store.ts'
import { openSecret } from './secret.ts'
import { isFromSlack, readClick, type Click } from './slack-request.ts'
import { channels, type ChannelRow } from './store.ts'

/**
 * Clicks on buttons of Slack messages. Slack signs each request with the secret of the channel's
 * app. The person is found by their email address in Slack: they must be a user of the account who
 * may answer. The message shows the outcome of a click; a refusal is shown only to the person who
 * clicked.
 */
const maxBodyBytes = 256 * 1024
const action = 'respond to run'
/** Slack shows an error after three seconds. */
const lookUpMs = 2_500

export function addSlackClicks(app: FastifyInstance, services: Services): void {
  const id = (description: string) => Type.String({ maxLength: 60, description })
  const params = Type.Object({ account: id('Account id.'), channel: id('Channel id.') })
  void app.register(async (plugin) => {
    plugin.removeAllContentTypeParsers()
    plugin.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_request: unknown, body: string) => body,
    )
    plugin.post(
      '/slack/:account/:channel',
      {
        config: { isLimitedByAddress: true },
        bodyLimit: maxBodyBytes,
        schema: { hide: true, params },
      },
      async (request, reply) => {
        reply.header('cache-control', 'no-store')
        const { account: accountId, channel: channelId } = request.params as Record<
          'account' | 'channel',
          string
        >
        const channel = await channels.find(services.database, accountId, { id: channelId })
        const body = typeof request.body === 'string' ? request.body : ''
        if (channel === undefined || !isSigned(services, accountId, channel, request, body)) {
          throw new DomainError(
            'invalid_signature',
            'Cannot accept the request: it is not signed by Slack',
          )
        }
        const click = readClick(body)
        if (click !== undefined) await answer(services, accountId, channel, click, request)
        return reply.status(200).send()
      },
    )
  })
}

function isSigned(
  { secrets }: Services,
  accountId: string,
  channel: ChannelRow,
  { headers }: FastifyRequest,
  body: string,
): boolean {
  const { signing_secret: secret } = openSecret(secrets, accountId, channel)
  if (secret === undefined) return false
  const timestamp = String(headers['x-slack-request-timestamp'] ?? '')
  const signature = String(headers['x-slack-signature'] ?? '')
  return isFromSlack(body, { timestamp, signature }, secret, Date.now())
}

async function answer(
  services: Services,
  accountId: string,
  channel: ChannelRow,
  click: Click,
  request: FastifyRequest,
): Promise<void> {
  try {
    const linked = await findLinked(services.database, accountId, click.notificationId)
    if (linked === undefined || linked.channel.id !== channel.id) {
      throw cannot({ action }, 'not_found', 'the message is of no case here')
    }
    const person = await findClicker(services, accountId, channel, click)
    await refuseUnlessSignedIn(services, accountId, linked)
    const ctx = await actFor(services, accountId, person, request)
    // The same click makes the same event, however often it is sent.
    const eventId = derivedId('evt', linked.runId, linked.id, click.slackUser, click.at)
    const given = { action: click.action, pending_id: linked.pendingId }
    const { approvals } = await respondToRun(ctx, linked.runId, eventId, given)
    if (approvals !== undefined) {
      const count = `${approvals.given} of ${approvals.required} approvals are given.`
      await reply(services, accountId, channel, click, `You approved. ${count}`)
    }
  } catch (error) {
    if (!(error instanceof DomainError) || error.type === 'internal') throw error
    await reply(services, accountId, channel, click, error.message)
  }
}

/** The user of the account with the Slack user's email address. */
async function findClicker(
  services: Services,
  accountId: string,
  channel: ChannelRow,
  { slackUser }: Click,
): Promise<Person> {
  const context = slackContext(services, accountId, channel)
  const method = `users.info?user=${encodeURIComponent(slackUser)}`
  const said = await callSlack(context, method, undefined, AbortSignal.timeout(lookUpMs))
  const refusal = refusalOf(said)
  if (refusal !== undefined || !said.ok) {
    const why = `Slack does not tell your email address: ${refusal?.output ?? ''}`
    throw cannot({ action }, 'unknown_user', why)
  }
  const { user } = said.body as { user?: { profile?: { email?: unknown } } }
  const email = user?.profile?.email
  const person =
    typeof email === 'string'
      ? await findPerson(services.database, accountId, { email })
      : undefined
  if (person !== undefined && allows(person.role, 'approver')) return person
  const why = 'no user of the account who may answer has your Slack email address'
  throw cannot({ action }, 'unknown_user', why)
}

/** Messages of such requests have no buttons, but the policy may be newer than the message. */
async function refuseUnlessSignedIn(
  { database }: Services,
  accountId: string,
  linked: Linked,
): Promise<void> {
  const found = await findCase(database, accountId, linked)
  const requests = [{ tool: linked.tool }, ...(found?.pending ? requestsOf(found.pending) : [])]
  if (!needsSignIn(await readPolicies(database, accountId), requests, 'account')) return
  const why = 'this request needs a person who is signed in, open it in Muster'
  throw cannot({ action }, 'sign_in_required', why)
}

/**
 * Shows a text only to the person who clicked. Failures are logged; the click has been refused
 * anyway.
 */
async function reply(
  services: Services,
  accountId: string,
  channel: ChannelRow,
  { slackUser, channel: place }: Click,
  text: string,
): Promise<void> {
  const context = slackContext(services, accountId, channel)
  const said = { channel: place, user: slackUser, text }
  const signal = AbortSignal.timeout(lookUpMs)
  const refusal = refusalOf(await callSlack(context, 'chat.postEphemeral', said, signal))
  if (refusal !== undefined) {
    services.log.warn({ why: refusal.output, channel: channel.id }, 'a click was refused silently')
  }
}
