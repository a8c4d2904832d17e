import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../context.ts'
import { cannot, DomainError } from '../../errors.ts'
import { statusOf } from '../../http/errors.ts'
import { refuseOtherOrigins, sessionCookie } from '../../http/session-cookie.ts'
import { respondToRun } from '../../runs/respond.ts'
import { StrictObject, StringEnum } from '../../wire-types.ts'
import { actFor } from './act-for.ts'
import { makeNonce, openLink, readNonce, type Visit } from './answer-link.ts'
import { pageHeaders, toHtml, type AnswerPage } from './answer-page.ts'
import { describeOutcomes, viewOf } from './case-view.ts'
import Type, { type Static } from 'typebox'

/**
 * The pages behind links in emails. `GET` and `HEAD` change nothing, because mail scanners fetch
 * them; only a `POST` with the page's nonce answers, which the page sends after a person's click.
 */
const answer = {
  action: StringEnum(['input', 'approve', 'reject'] as const, { description: 'The answer.' }),
  input: Type.Optional(Type.String({ minLength: 1, maxLength: 16_000 })),
  reason: Type.Optional(Type.String({ maxLength: 2_000 })),
}
const id = Type.String({ minLength: 1, maxLength: 100 })
const Answer = StrictObject({
  ...answer,
  action: Type.Optional(answer.action),
  nonce: Type.String({ minLength: 1, maxLength: 400 }),
  decisions: Type.Optional(
    Type.Array(StrictObject({ ...answer, call_id: id, pending_id: id }), {
      minItems: 1,
      maxItems: 32,
    }),
  ),
  max_cost_usd: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 })),
})
type Answer = Static<typeof Answer>

const maxBodyBytes = 128 * 1024

export function addAnswerPages(app: FastifyInstance, services: Services): void {
  const common = { config: { isLimitedByAddress: true }, bodyLimit: maxBodyBytes }
  const schema = { hide: true, params: Type.Object({ token: Type.String({ maxLength: 100 }) }) }

  app.get('/answer/:token', { ...common, schema }, async (request, reply) => {
    reply.headers(pageHeaders)
    try {
      const visit = await openLink(services, tokenOf(request), await signedInId(request))
      return toHtml(pageOf(services, visit))
    } catch (error) {
      return refusePage(error, reply)
    }
  })

  app.post(
    '/answer/:token',
    { ...common, schema: { ...schema, body: Answer } },
    async (request, reply) => {
      const action = 'respond to run'
      reply.header('cache-control', 'no-store')
      refuseOtherOrigins(request, services.publicUrl, action)
      const visit = await openLink(services, tokenOf(request), await signedInId(request))
      const { nonce, ...answer } = request.body as Answer
      const { eventId, pendingId } = readNonce(services.secrets, visit, nonce)
      refuseUnlessOpen(visit, action)
      const { linked, person, accountId } = visit
      const ctx = await actFor(services, accountId, person, request)
      const given = answer.decisions === undefined ? { ...answer, pending_id: pendingId } : answer
      return { data: await respondToRun(ctx, linked.runId, eventId, given) }
    },
  )
}

function tokenOf({ params }: FastifyRequest): string {
  return (params as { token: string }).token
}

/** The user of the browser's session; undefined if there is none or it has ended. */
async function signedInId(request: FastifyRequest): Promise<string | undefined> {
  const session = request.cookies[sessionCookie]
  if (session === undefined) return undefined
  try {
    const { actor } = await request.server.authenticator.identify({
      authorization: undefined,
      session,
    })
    return actor.id
  } catch (error) {
    if (error instanceof DomainError && error.type === 'unauthenticated') return undefined
    throw error
  }
}

function refuseUnlessOpen({ state, found }: Visit, action: string): void {
  switch (state.kind) {
    case 'open':
      return
    case 'closed':
      throw cannot({ action }, 'run_not_waiting', describeOutcomes(found))
    case 'busy':
      throw cannot(
        { action },
        'run_not_waiting',
        'it carries out what was decided; the rest can be decided in a moment',
      )
    case 'approved':
      throw cannot({ action }, 'already_approved', 'you have approved already, others have to')
    case 'sign_in':
      throw cannot({ action }, 'sign_in_required', 'this action needs a person who is signed in')
    case 'other_person':
      throw cannot({ action }, 'not_an_approver', 'someone else is signed in in this browser')
    case 'not_an_approver': {
      const why = "you are not one of the workflow's approvers (human_in_the_loop.approvers)"
      throw cannot({ action }, 'not_an_approver', why)
    }
  }
}

const notices: Record<
  Exclude<Visit['state']['kind'], 'open' | 'closed' | 'other_person'>,
  string
> = {
  sign_in: 'This request has to be decided by a person who is signed in.',
  not_an_approver: 'You are not an approver of this workflow. You can only read the request.',
  approved: 'You have approved this. Others have to approve it too.',
  busy: 'The run is executing the decisions. You can decide the rest in a moment.',
}

function pageOf({ secrets, publicUrl }: Services, visit: Visit): AnswerPage {
  const { state, found, linked } = visit
  const url = `${publicUrl}/inbox/${linked.pendingId}`
  if (state.kind === 'closed') {
    const view = viewOf({ ...found, pending: null })
    const link = { label: 'View run in Muster', url: `${publicUrl}/runs/${found.runId}` }
    return {
      title: 'Nothing to answer',
      notice: describeOutcomes(found),
      view,
      nonce: undefined,
      link,
    }
  }
  if (state.kind === 'other_person') {
    const notice = 'It was sent to a different person than the one who is signed in here.'
    const link = { label: 'Open inbox', url: `${publicUrl}/inbox` }
    return {
      title: 'This link is for someone else',
      notice,
      view: undefined,
      nonce: undefined,
      link,
    }
  }
  const view = viewOf(found)
  const isOpen = state.kind === 'open'
  return {
    title: view.title,
    notice: state.kind === 'open' ? undefined : notices[state.kind],
    view,
    nonce: isOpen ? makeNonce(secrets, visit, state.pending) : undefined,
    isPassing: state.kind === 'busy',
    visitorId: visit.person.id,
    link: { label: state.kind === 'sign_in' ? 'Sign in and decide' : 'Open in Muster', url },
  }
}

function refusePage(error: unknown, reply: FastifyReply): string {
  if (!(error instanceof DomainError)) throw error
  reply.status(error.code === 'invalid_link' ? 404 : statusOf(error))
  const notice =
    error.code === 'invalid_link'
      ? 'This link is invalid or has expired. Open Muster to see your waiting requests.'
      : error.message
  return toHtml({
    title: 'This link does not work',
    notice,
    view: undefined,
    nonce: undefined,
    link: undefined,
  })
}
