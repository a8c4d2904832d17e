import { created, deleted, list, listInMemory, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { clearSessionCookie } from '../http/session-cookie.ts'
import { invite, listInvitations, withdrawInvitation } from './invitations.ts'
import * as me from './me.ts'
import { listUsers, removeUser, retrieveUser, unlinkUser, updateUser } from './members.ts'
import { endSessionUrl } from './oidc-routes.ts'
import { requestReset, resetPassword } from './reset-password.ts'
import * as schema from './schema.ts'
import { acceptInvitation, enterBySetupLink } from './setup.ts'
import { signIn } from './sign-in.ts'
import { admit, browserOf } from './admit.ts'

/** Sign-in, users' own profiles, and their management by admins. */
export const people: Resource = {
  tag: 'People',
  cli: false,
  about: 'People of the account: sessions, invitations, roles.',
  ids: { sessions: 'Session id.', users: 'User id.', invitations: 'Invitation id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'setup.create',
      route: 'POST /v1/setup',
      role: 'anyone',
      audit: 'user.created',
      action: 'set up',
      summary: 'Create the first admin',
      description: 'Uses the one-time link printed at the first start, and signs in.',
      body: schema.SetUp,
      answer: created(schema.Me, 'The first admin, signed in.'),
      verb: async (call) =>
        admit(call, await enterBySetupLink(call.services, call.body, browserOf(call))),
    }),
    operation({
      id: 'session.retrieve',
      route: 'GET /v1/session',
      role: 'anyone',
      action: 'retrieve ways to sign in',
      summary: 'Retrieve the ways to sign in',
      description: 'For the sign-in page: needs no key.',
      answer: ok(schema.WaysIn, 'The ways to sign in.'),
      verb: ({ services }) => me.retrieveWaysIn(services),
    }),
    operation({
      id: 'session.create',
      route: 'POST /v1/session',
      role: 'anyone',
      audit: 'session.created',
      action: 'sign in',
      summary: 'Sign in with a password',
      description: 'Sets the cookie `muster_session`. Attempts are limited.',
      body: schema.SignIn,
      answer: created(schema.Me, 'The signed-in person.'),
      verb: async (call) => admit(call, await signIn(call.services, call.body, browserOf(call))),
    }),
    operation({
      id: 'password_resets.create',
      route: 'POST /v1/password-resets',
      role: 'anyone',
      audit: 'user.reset_requested',
      action: 'reset password',
      summary: 'Request a password reset',
      description:
        'If the operator set SMTP, emails a link that works once within 30 minutes. The response is the same ' +
        'whether or not the address has a user. Requests are limited by email and network address.',
      body: schema.RequestReset,
      answer: ok(
        schema.ResetRequested,
        'A link is sent if the address has a user with a password.',
      ),
      verb: (call) => requestReset(call.services, call.body, browserOf(call)),
    }),
    operation({
      id: 'password_resets.accept',
      route: 'POST /v1/password-resets/accept',
      role: 'anyone',
      audit: 'user.password_reset',
      action: 'reset password',
      summary: 'Set a new password with a reset link',
      description:
        "Ends all of the person's sessions and the access of their programs, and signs in.",
      body: schema.ResetPassword,
      answer: created(schema.Me, 'The person, signed in.'),
      verb: async (call) =>
        admit(call, await resetPassword(call.services, call.body, browserOf(call))),
    }),
    operation({
      id: 'session.delete',
      route: 'DELETE /v1/session',
      role: 'viewer',
      whileSuspended: true,
      audit: 'session.deleted',
      action: 'sign out',
      summary: 'Sign out',
      description:
        "If the person signed in through OpenID Connect, the provider's session may remain.",
      answer: ok(schema.EndedSession, 'The session has ended.'),
      verb: async ({ ctx, request, reply }) => {
        const idToken = clearSessionCookie(request, reply)
        const id = await me.endMySession(ctx)
        return { id, deleted: true as const, end_session_url: await endSessionUrl(ctx, idToken) }
      },
    }),
    operation({
      id: 'sessions.list',
      route: 'GET /v1/sessions',
      role: 'viewer',
      action: 'list sessions',
      summary: 'List your sessions',
      description: 'The browsers in which you are signed in.',
      answer: listInMemory(schema.Session, 'The browsers that are signed in, newest first.'),
      verb: ({ ctx }) => me.listMySessions(ctx),
    }),
    operation({
      id: 'sessions.delete',
      route: 'DELETE /v1/sessions/:id',
      role: 'viewer',
      audit: 'session.deleted',
      action: 'end session',
      summary: 'End one of your sessions',
      description: 'That browser is signed out at once.',
      answer: deleted('The session has ended.'),
      verb: async ({ ctx, params }) => void (await me.endMySession(ctx, params.id)),
    }),
    operation({
      id: 'me.retrieve',
      route: 'GET /v1/me',
      role: 'viewer',
      whileSuspended: true,
      action: 'retrieve user',
      summary: 'Retrieve the signed-in person',
      description: 'You, with your role and your accounts.',
      answer: ok(schema.Me, 'The person, their account and role.'),
      verb: ({ ctx }) => me.retrieveMe(ctx),
    }),
    operation({
      id: 'me.update',
      route: 'PATCH /v1/me',
      role: 'viewer',
      audit: 'user.updated',
      action: 'update user',
      summary: 'Change your name or password',
      description: 'A new password ends the other sessions and the access of programs.',
      body: schema.ChangeMe,
      answer: ok(schema.Me, 'The changed person.'),
      verb: (call) => me.changeMe(call.ctx, call.body, browserOf(call)),
    }),
    operation({
      id: 'me.switch_account',
      route: 'PUT /v1/me/account',
      role: 'viewer',
      whileSuspended: true,
      audit: 'session.updated',
      action: 'switch account',
      summary: 'Switch to another of your accounts',
      description: 'Later requests of this session are about that account.',
      body: schema.SwitchAccount,
      answer: ok(schema.Me, 'The person in the other account.'),
      verb: ({ ctx, body }) => me.switchAccount(ctx, body.account_id),
    }),
    operation({
      id: 'users.list',
      route: 'GET /v1/users',
      role: 'admin',
      action: 'list users',
      summary: 'List the people of the account',
      description: 'Newest first; 50 by default.',
      answer: list(schema.User, 'A page of people.'),
      verb: ({ ctx, page }) => listUsers(ctx, page),
    }),
    operation({
      id: 'users.update',
      route: 'PATCH /v1/users/:id',
      role: 'admin',
      audit: 'user.updated',
      action: 'update user',
      summary: 'Change the role or the address of a person',
      description:
        'A new role ends their sessions in the account and withdraws open invitations to their address. The ' +
        'address of a person who also belongs to other accounts cannot be changed here (`shared_user`); with an ' +
        'identity at the provider, it is updated at each sign-in.',
      body: schema.UpdateUser,
      answer: ok(schema.User, 'The person with the new role.'),
      stored: ({ ctx, params }) => retrieveUser(ctx, params.id),
      verb: ({ ctx, params, body }) => updateUser(ctx, params.id, body),
    }),
    operation({
      id: 'users.delete',
      route: 'DELETE /v1/users/:id',
      role: 'admin',
      audit: 'user.removed',
      action: 'delete user',
      summary: 'Remove a person from the account',
      description:
        'Withdraws open invitations to their address. If the person belongs to no other account, their identity ' +
        'at the provider is unlinked.',
      answer: deleted('The person no longer belongs to the account.'),
      verb: ({ ctx, params }) => removeUser(ctx, params.id),
    }),
    operation({
      id: 'users.unlink',
      route: 'DELETE /v1/users/:id/identity',
      role: 'admin',
      audit: 'user.updated',
      action: 'unlink user',
      summary: "Unlink a person's identity at the provider",
      description:
        'For a person who was recreated at the provider, or whose provider moved: their next sign-in identifies ' +
        'them by verified address again. Their sessions in the account end.',
      answer: deleted('The person has no identity at the provider until they sign in there.'),
      verb: ({ ctx, params }) => unlinkUser(ctx, params.id),
    }),
    operation({
      id: 'invitations.list',
      route: 'GET /v1/invitations',
      role: 'admin',
      action: 'list invitations',
      summary: 'List invitations',
      description: 'Newest first; 50 by default.',
      query: schema.invitationsQuery,
      answer: list(schema.Invitation, 'A page of invitations.'),
      verb: ({ ctx, page, query }) => listInvitations(ctx, page, query),
    }),
    operation({
      id: 'invitations.create',
      route: 'POST /v1/invitations',
      role: 'admin',
      audit: 'invitation.created',
      action: 'create invitation',
      summary: 'Invite a person',
      description:
        'The link is returned only in this response, and emailed if the operator set SMTP.',
      body: schema.CreateInvitation,
      answer: created(schema.CreatedInvitation, 'The invitation with its link.'),
      answersSecret: true,
      creates: 'inv',
      verb: ({ ctx, reservedId, body }) => invite(ctx, reservedId, body),
    }),
    operation({
      id: 'invitations.delete',
      route: 'DELETE /v1/invitations/:id',
      role: 'admin',
      audit: 'invitation.deleted',
      action: 'delete invitation',
      summary: 'Withdraw an invitation',
      description: 'Its link no longer works.',
      answer: deleted('The link no longer works.'),
      verb: ({ ctx, params }) => withdrawInvitation(ctx, params.id),
    }),
    operation({
      id: 'invitations.accept',
      route: 'POST /v1/invitations/accept',
      role: 'anyone',
      audit: 'invitation.accepted',
      action: 'accept invitation',
      summary: 'Accept an invitation',
      description: 'Uses its one-time link, and signs in.',
      body: schema.AcceptInvitation,
      answer: created(schema.Me, 'The person, signed in.'),
      verb: async (call) =>
        admit(call, await acceptInvitation(call.services, call.body, browserOf(call))),
    }),
  ],
}
