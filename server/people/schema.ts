import {
  Name,
  Nullable,
  NullableText,
  NullableTimestamp,
  ShownUrl,
  StrictObject,
  StringEnum,
  Timestamp,
} from '../wire-types.ts'
import { roles } from '../identity.ts'
import { emailPattern, maxEmailLength } from '../email-text.ts'
import { maxPasswordLength, minPasswordLength } from './password.ts'
import Type, { type Static } from 'typebox'

const role = StringEnum(roles, { description: "The person's role in the account." })
const email = Type.String({
  maxLength: maxEmailLength,
  pattern: emailPattern,
  description: 'Email address; compared without case.',
})
const name = Name(120, 'Name shown to others')
const password = Type.String({
  minLength: minPasswordLength,
  maxLength: maxPasswordLength,
  description: 'Stored as an argon2id hash.',
})
const givenPassword = Type.String({ maxLength: maxPasswordLength, description: 'The password.' })
const token = Type.String({ maxLength: 100, description: 'Secret part of the one-time link.' })
const account = Type.Object(
  {
    id: Type.String({ description: 'Account id.' }),
    name: Type.String({ description: 'Its name.' }),
  },
  { description: 'The account that the session acts in.' },
)

export const SetUp = StrictObject(
  { token, email, name, password },
  {
    $id: 'SetUp',
    examples: [
      {
        token: 'the token of the link',
        email: 'ada@example.com',
        name: 'Ada Brandt',
        password: 'a long enough one',
      },
    ],
    description: 'The first admin.',
  },
)

export const SignIn = StrictObject(
  { email, password: givenPassword },
  {
    $id: 'SignIn',
    examples: [{ email: 'ada@example.com', password: 'a long enough one' }],
    description: 'The credentials.',
  },
)

export const RequestReset = StrictObject(
  { email },
  {
    $id: 'RequestReset',
    examples: [{ email: 'ada@example.com' }],
    description: 'The person who forgot their password.',
  },
)

export const ResetRequested = Type.Object(
  { requested: Type.Literal(true, { description: 'Always true.' }) },
  { $id: 'ResetRequested', description: 'The same whether or not the address has a user.' },
)

export const ResetPassword = StrictObject(
  {
    token: Type.String({ maxLength: 500, description: 'Secret part of the one-time link.' }),
    password,
  },
  {
    $id: 'ResetPassword',
    examples: [{ token: 'the token of the link', password: 'a long enough one' }],
    description: 'A new password.',
  },
)

export const AcceptInvitation = StrictObject(
  {
    token,
    name,
    password: Type.String({
      minLength: minPasswordLength,
      maxLength: maxPasswordLength,
      description: 'A new password; the current one if the address already has a user.',
    }),
  },
  {
    $id: 'AcceptInvitation',
    examples: [{ token: 'the token of the link', name: 'Eva Lang', password: 'a long enough one' }],
    description: 'Who accepts.',
  },
)

export const Me = Type.Object(
  {
    id: Type.String({ description: 'User id.' }),
    email,
    name,
    has_password: Type.Boolean({
      description:
        'Whether the user has a password; false for people who only sign in through a provider.',
    }),
    session_id: Type.String({ description: 'The session of this request.' }),
    account,
    role,
    accounts: Type.Array(Type.Object({ ...account.properties, role }), {
      description: 'All accounts that the user belongs to.',
    }),
  },
  { $id: 'Me', description: 'The person who is signed in.' },
)
export type Me = Static<typeof Me>

export const ChangeMe = StrictObject(
  {
    name: Type.Optional(name),
    password: Type.Optional(password),
    current_password: Type.Optional(givenPassword),
  },
  {
    $id: 'ChangeMe',
    examples: [{ name: 'Ada Brandt' }],
    description: 'The fields to update.',
  },
)
export type ChangeMe = Static<typeof ChangeMe>

export const SwitchAccount = StrictObject(
  { account_id: Type.String({ maxLength: 100, description: "One of the user's accounts." }) },
  {
    $id: 'SwitchAccount',
    examples: [{ account_id: 'acc_01ktbz3v9se0c9x1hm8q5gkxvn' }],
    description: 'The account to switch to.',
  },
)

export const Session = Type.Object(
  {
    id: Type.String({ description: 'Session id.' }),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
    created_at: Timestamp('When it began.'),
    last_seen_at: Timestamp('Last use, to the minute; seven days later it ends.'),
    expires_at: Timestamp('When it expires at the latest.'),
    address: NullableText('Network address where it began.'),
    user_agent: NullableText('Browser in which it began.'),
  },
  { $id: 'Session', description: 'A signed-in browser.' },
)
export type Session = Static<typeof Session>

export const User = Type.Object(
  {
    id: Type.String({ description: 'User id.' }),
    email,
    name,
    role,
    created_at: Timestamp('When the user joined the account.'),
    last_signed_in_at: NullableTimestamp('Last sign-in to any account.'),
    identity: Type.Union(
      [
        Type.Object({
          issuer: Type.String({ description: 'The OpenID Connect provider.' }),
          subject: Type.String({ description: "The person's id at the provider." }),
        }),
        Type.Null(),
      ],
      {
        description: "The person's identity at the provider; null before the first sign-in there.",
      },
    ),
  },
  { $id: 'User', description: 'A person of the account.' },
)
export type User = Static<typeof User>

export const UpdateUser = StrictObject(
  { role: Type.Optional(role), email: Type.Optional(email) },
  {
    $id: 'UpdateUser',
    examples: [{ role: 'approver' }],
    description: "A new role, which ends the person's sessions in the account, or a new address.",
  },
)
export type UpdateUser = Static<typeof UpdateUser>

const invitationFields = {
  id: Type.String({ description: 'Invitation id.' }),
  email,
  role,
  invited_by: NullableText('User or key that invited; null for an operator.'),
  created_at: Timestamp('When it was created.'),
  expires_at: Timestamp('When its link expires.'),
  accepted_at: NullableTimestamp('When it was accepted; null if it is open.'),
}

export const Invitation = Type.Object(invitationFields, {
  $id: 'Invitation',
  description: 'An invitation without its link.',
})
export type Invitation = Static<typeof Invitation>

export const invitationsQuery = {
  open: Type.Optional(
    Type.Boolean({
      description: 'Omit accepted invitations; expired ones are included.',
    }),
  ),
}

export const CreatedInvitation = Type.Object(
  {
    ...invitationFields,
    link: ShownUrl('The one-time link, shown only once.'),
    mailed: Type.Boolean({ description: 'Whether a mail server accepted the email.' }),
  },
  { $id: 'CreatedInvitation', description: 'A new invitation with its link.' },
)
export type CreatedInvitation = Static<typeof CreatedInvitation>

export const CreateInvitation = StrictObject(
  { email, role },
  {
    $id: 'CreateInvitation',
    examples: [{ email: 'eva.lang@example.com', role: 'approver' }],
    description: 'The person to invite.',
  },
)
export type CreateInvitation = Static<typeof CreateInvitation>

export const WaysIn = Type.Object(
  {
    password: Type.Boolean({ description: 'Whether people can sign in with a password.' }),
    oidc: Type.Boolean({ description: 'Whether an OpenID Connect provider is configured.' }),
    oidc_url: Nullable(
      ShownUrl(
        'URL at which a browser starts signing in through the provider, under `MUSTER_PUBLIC_URL`; null if none ' +
          'is configured.',
      ),
    ),
    password_reset: Type.Boolean({
      description: 'Whether a forgotten password can be reset by email.',
    }),
    setup_required: Type.Boolean({
      description:
        'Whether no user exists yet: the link printed at the first start creates the first admin.',
    }),
  },
  { $id: 'WaysIn', description: 'The available ways to sign in.' },
)
export type WaysIn = Static<typeof WaysIn>

export const EndedSession = Type.Object(
  {
    id: Type.String({ description: 'The session that ended.' }),
    deleted: Type.Literal(true, { description: 'Always true.' }),
    end_session_url: Nullable(
      ShownUrl(
        'URL that also ends the session at the OpenID Connect provider; null if there is none.',
      ),
    ),
  },
  { $id: 'EndedSession', description: 'A session that ended.' },
)

export const LogoutToken = Type.Object(
  {
    logout_token: Type.String({
      maxLength: 16_000,
      description: 'A JWT signed by the provider.',
    }),
  },
  {
    $id: 'LogoutToken',
    examples: [{ logout_token: 'a signed token' }],
    description: 'The person whom the provider signs out.',
  },
)

export const EndedSessions = Type.Object(
  { ended: Type.Integer({ description: 'How many sessions have ended.' }) },
  { $id: 'EndedSessions', description: 'Sessions that ended.' },
)
