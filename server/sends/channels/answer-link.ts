import type { Services } from '../../context.ts'
import { findCase, type Case } from '../../engine/reads/cases.ts'
import { caseIdOf, isOfCase, requestsOf } from '../../engine/run/case.ts'
import type { PendingRequest } from '../../engine/run/pending.ts'
import { DomainError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { findPerson, type Person } from '../../people/find-person.ts'
import { readPolicies } from '../../policies/read.ts'
import { needsSignIn } from '../../policies/rules.ts'
import type { Policies } from '../../policies/schema.ts'
import { allows } from '../../identity.ts'
import { findLinked, type Linked } from './notification-store.ts'
import { openSecret, readLinkToken, senderOf, type SentBy } from './secret.ts'

/**
 * The link in an email: to whom it was sent, and what they may do with it. It is bound to one
 * request of one run, and answers in the name of the email's recipient, who must still be a user of
 * the account with at least the role approver.
 */
export interface Visit {
  accountId: string
  linked: Linked
  person: Person
  found: Case
  state:
    | { kind: 'open'; pending: PendingRequest }
    /** The link alone does not prove who answers: the person has to sign in. */
    | { kind: 'sign_in'; pending: PendingRequest }
    | { kind: 'not_an_approver'; pending: PendingRequest }
    /** The person has approved; more approvals are required. */
    | { kind: 'approved'; pending: PendingRequest }
    /** Another person is signed in in this browser. */
    | { kind: 'other_person'; pending: PendingRequest }
    /** Approved calls of the case are being made; then the rest waits again. */
    | { kind: 'busy'; pending: PendingRequest }
    | { kind: 'closed' }
}

/** `signedInId`: the user of the browser's session, if any. Rejects with `invalid_link`. */
export async function openLink(
  services: Pick<Services, 'database' | 'secrets'>,
  token: string,
  signedInId: string | undefined,
): Promise<Visit> {
  const { database, secrets } = services
  const named = readLinkToken(token)
  const linked = named && (await findLinked(database, named.accountId, named.notificationId))
  if (named === undefined || linked === undefined) throw invalidLink()
  const { accountId } = named
  const { link_key: key } = openSecret(secrets, accountId, linked.channel)
  // Escalations and assignments go to people who are not recipients of the channel.
  const isForChannel = linked.kind === 'case' || linked.kind === 'reminder'
  const isRecipient = !isForChannel || linked.channel.recipients.includes(linked.recipient)
  const sentBy = senderOf(key, token)
  if (sentBy === undefined || !isRecipient) throw invalidLink()
  const person = await findPerson(database, accountId, { email: linked.recipient })
  if (person === undefined || !allows(person.role, 'approver')) throw invalidLink()
  const found = await findCase(database, accountId, linked)
  if (found === undefined) throw invalidLink()
  const policies = await readPolicies(database, accountId)
  const visit = { accountId, linked, person, found }
  const { pending } = found
  const isOver = found.expiresAt !== null && found.expiresAt.getTime() <= Date.now()
  if (pending === null || !isOfCase(pending, linked.pendingId) || isOver)
    return { ...visit, state: { kind: 'closed' } }
  const kind =
    found.status === 'running' ? 'busy' : stateOf(pending, person, signedInId, policies, sentBy)
  return { ...visit, state: { kind, pending } }
}

function stateOf(
  pending: PendingRequest,
  person: Person,
  signedInId: string | undefined,
  policies: Policies,
  sentBy: SentBy,
): 'open' | 'sign_in' | 'not_an_approver' | 'approved' | 'other_person' {
  if (signedInId !== undefined && signedInId !== person.id) return 'other_person'
  const { users, roles } = pending.approvers
  const isApprover = users.includes(person.id) || roles.some((role) => role === person.role)
  if (!isApprover) return 'not_an_approver'
  const requests = requestsOf(pending)
  if (requests.every((one) => one.approvals?.by.some(({ id }) => id === person.id)))
    return 'approved'
  return signedInId === undefined && needsSignIn(policies, requests, sentBy) ? 'sign_in' : 'open'
}

/** How long a page may stay open before it has to be reloaded. */
const nonceMs = 3_600_000

/**
 * The nonce of a page, which an answer must contain. It is bound to one request of one run, or to a
 * case of several calls, each of which the answer names. The id of the answer's event is derived
 * from it, so that a repeat has no effect.
 */
export function makeNonce(
  secrets: Services['secrets'],
  { accountId, linked }: Visit,
  pending: PendingRequest,
): string {
  const plain = JSON.stringify([newId('evt'), shownId(pending), Date.now() + nonceMs])
  return secrets.seal(Buffer.from(plain), answerPlace(accountId, linked.id)).toString('base64url')
}

function shownId(pending: PendingRequest): string {
  return pending.calls === undefined ? pending.id : caseIdOf(pending)
}

/** The id of the answer's event, and what the page showed. */
export function readNonce(
  secrets: Services['secrets'],
  { accountId, linked }: Visit,
  nonce: string,
): { eventId: string; pendingId: string } {
  const [eventId, pendingId, end] = open()
  if (end > Date.now()) return { eventId, pendingId }
  throw staleNonce()

  function open(): [string, string, number] {
    try {
      const sealed = Buffer.from(nonce, 'base64url')
      return JSON.parse(secrets.open(sealed, answerPlace(accountId, linked.id)).toString())
    } catch {
      throw staleNonce()
    }
  }
}

const answerPlace = (accountId: string, id: string) => ['answer', accountId, id] as const

function invalidLink(): DomainError {
  return new DomainError(
    'invalid_link',
    'Cannot open the link: it is invalid or has expired; open the inbox in Muster',
  )
}

function staleNonce(): DomainError {
  return new DomainError('invalid_link', 'Cannot answer: reload the page and press the button')
}
