import type { Database, Transaction } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { wholeEnd } from '../storable.ts'
import { visibleText } from '../visible-text.ts'
import { joinAccount } from './join.ts'
import { takeInvitation } from './link-store.ts'
import type { OidcClaims, OidcSettings } from './oidc.ts'
import { endSessions } from './session-store.ts'
import { beginSession, type Browser, type Join, type SignedIn } from './session.ts'
import {
  findFirstAccount,
  findUserByEmail,
  findUserBySubject,
  insertUser,
  linkSubject,
  listMemberships,
  type User,
} from './user-store.ts'

const maxNameLength = 120

/**
 * Signs in whom the provider vouches for. A subject that is known is its user. Else the address counts,
 * if the provider has verified it: it links the user who has it, or makes one who was invited or whom
 * the default role admits to the first account.
 */
export function signInByOidc(
  database: Database,
  settings: Pick<OidcSettings, 'allowedDomains' | 'defaultRole'>,
  claims: OidcClaims,
  browser: Browser,
): Promise<SignedIn> {
  return database.transaction().execute(async (transaction) => {
    const { issuer, subject, email } = claims
    const known = await findUserBySubject(transaction, issuer, subject)
    const address = email ?? known?.email
    if (address === undefined) throw refused('the provider has not verified the e-mail address')
    if (!isAllowed(address, settings.allowedDomains)) {
      throw refused(
        'the domain of the e-mail address is not among those of MUSTER_OIDC_ALLOWED_DOMAINS',
      )
    }
    const user = known ?? (await findOrMake(transaction, claims, address))
    const invitations = email === undefined ? [] : await takeInvitation(transaction, { email })
    const joins = invitations.map(({ id, ...invitation }): Join => {
      return { ...invitation, action: 'invitation.accepted', objectId: id }
    })
    if (joins.length === 0 && (await listMemberships(transaction, user.id)).length === 0) {
      const { defaultRole: role } = settings
      if (role === undefined) throw refused('nobody has invited this user')
      const accountId = await findFirstAccount(transaction)
      joins.push({ accountId, role, action: 'user.created', objectId: user.id })
    }
    for (const { accountId, role } of joins) {
      await joinAccount(transaction, accountId, user.id, role)
    }
    return beginSession(transaction, user, browser, { joins })
  })
}

async function findOrMake(
  transaction: Transaction,
  { issuer, subject, name }: OidcClaims,
  email: string,
): Promise<Pick<User, 'id' | 'name'>> {
  const existing = await findUserByEmail(transaction, email)
  if (existing !== undefined) {
    if (!(await linkSubject(transaction, existing.id, { issuer, subject }))) {
      throw refused('the e-mail address belongs to a user with another identity at the provider')
    }
    await endSessions(transaction, existing.id)
    return existing
  }
  const id = newId('usr')
  const user = { id, email, name: toName(name ?? '') || toName(email), passwordHash: null }
  if (await insertUser(transaction, { ...user, subject: { issuer, subject } })) return user
  throw refused('the same user signed in at this moment, try again')
}

/** As the API would take it. */
function toName(text: string): string {
  const name = visibleText(text).trim()
  return name.slice(0, wholeEnd(name, maxNameLength))
}

function isAllowed(email: string, domains: string[]): boolean {
  return domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1))
}

function refused(why: string): DomainError {
  return new DomainError('sign_in_refused', `Cannot sign in: ${why}`)
}
