import type { Database, Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { wholeEnd, visibleText } from '../safe-text.ts'
import {
  joinAccount,
  changeUser,
  findFirstAccount,
  findUserByEmail,
  findUserBySubject,
  insertUser,
  linkSubject,
  listMemberships,
  type User,
} from './user-store.ts'
import { takeInvitation } from './link-store.ts'
import type { OidcClaims } from './oidc/claims.ts'
import type { OidcSettings } from './oidc/client.ts'
import { endSessions } from './session-store.ts'
import { beginSession, type Browser, type Join, type SignedIn, type UserChange } from './session.ts'

const maxNameLength = 120

/** Why a user cannot sign in, for the sign-in page. */
export type Refusal = 'email_not_verified' | 'domain_not_allowed' | 'not_invited' | 'other_identity'

const refusals: Record<Refusal, string> = {
  email_not_verified: 'the provider has not verified the email address',
  domain_not_allowed:
    'the domain of the email address is not among those of MUSTER_OIDC_ALLOWED_DOMAINS',
  not_invited: 'the user has no invitation',
  other_identity:
    'the email address belongs to a user with another identity at the provider, which an admin can unlink',
}

export class SignInRefused extends DomainError {
  readonly reason: Refusal

  constructor(reason: Refusal) {
    super('sign_in_refused', `Cannot sign in: ${refusals[reason]}`)
    this.reason = reason
  }
}

/**
 * Signs in a user by the provider's confirmation. A known subject is its user, whose address and
 * name are updated from the provider. Otherwise the address counts, if the provider has verified
 * it: the user with this address is linked, or a new user is created in the first account, if
 * invited or admitted by the default role.
 */
export function signInByOidc(
  database: Database,
  settings: Pick<OidcSettings, 'allowedDomains' | 'defaultRole'>,
  claims: OidcClaims,
  browser: Browser,
  oidcSid?: string,
): Promise<SignedIn> {
  return database.transaction().execute(async (transaction) => {
    const known = await findUserBySubject(transaction, claims)
    const { email } = claims
    const address = email ?? known?.email
    if (address === undefined) throw new SignInRefused('email_not_verified')
    if (!isAllowed(address, settings.allowedDomains)) throw new SignInRefused('domain_not_allowed')
    const { user, change } =
      known === undefined
        ? await findOrMake(transaction, claims, address)
        : await followProvider(transaction, known, claims)
    const invitations = email === undefined ? [] : await takeInvitation(transaction, { email })
    const joins = invitations.map(({ id, ...invitation }): Join => {
      return { ...invitation, action: 'invitation.accepted', objectId: id }
    })
    if (joins.length === 0 && (await listMemberships(transaction, user.id)).length === 0) {
      const { defaultRole: role } = settings
      if (role === undefined) throw new SignInRefused('not_invited')
      const accountId = await findFirstAccount(transaction)
      joins.push({ accountId, role, action: 'user.created', objectId: user.id })
    }
    for (const { accountId, role } of joins) {
      await joinAccount(transaction, accountId, user.id, role)
    }
    return beginSession(transaction, user, browser, {
      joins,
      ...(change && { change }),
      ...(oidcSid !== undefined && { oidcSid }),
    })
  })
}

interface Found {
  user: User
  /** Change of the user, for the audit. */
  change?: UserChange
}

async function findOrMake(
  transaction: Transaction,
  claims: OidcClaims,
  email: string,
): Promise<Found> {
  const { issuer, subject } = claims
  const existing = await findUserByEmail(transaction, email)
  if (existing !== undefined) {
    if (await linkSubject(transaction, existing.id, { issuer, subject })) {
      await endSessions(transaction, existing.id)
      const { user, change } = await followProvider(transaction, existing, claims)
      if (existing.passwordHash === null) return { user, ...(change && { change }) }
      return { user, change: { ...change, after: { ...change?.after, changed: 'password' } } }
    }
  } else {
    const name = toName(claims.name) || toName(email)
    const user = { id: newId('usr'), email, name, passwordHash: null }
    if (await insertUser(transaction, { ...user, subject: { issuer, subject } })) return { user }
  }
  // Another browser of the same user may have signed in at the same moment.
  const linked = await findUserBySubject(transaction, claims)
  if (linked !== undefined) return { user: linked }
  throw new SignInRefused('other_identity')
}

/** The address is not changed to that of another user. */
async function followProvider(
  transaction: Transaction,
  user: User,
  { email = user.email, name: given }: OidcClaims,
): Promise<Found> {
  const isTaken = email !== user.email && (await findUserByEmail(transaction, email)) !== undefined
  const before = { email: user.email, name: user.name }
  const after = { email: isTaken ? user.email : email, name: toName(given) || user.name }
  if (after.email === before.email && after.name === before.name) return { user }
  await changeUser(transaction, user.id, after)
  return { user: { ...user, ...after }, change: { before, after } }
}

/** A name that the API would accept. */
function toName(text = ''): string {
  const name = visibleText(text).trim()
  return name.slice(0, wholeEnd(name, maxNameLength))
}

function isAllowed(email: string, domains: string[]): boolean {
  return domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1))
}
