import { accepted, created, list, ndjson, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import {
  createAccount,
  listAccounts,
  listLog,
  resumeAccount,
  retrieveAccount,
  retrieveUse,
  suspendAccount,
  updateAccount,
} from './accounts.ts'
import { deleteAccount } from './erase.ts'
import { sendExport } from './export.ts'
import * as schema from './schema.ts'

/**
 * What the operator of a service can do to accounts, with the key MUSTER_OPERATOR_KEY, and which
 * parts an account's admin can do. The operator's key gives no other access.
 */
export const operator: Resource = {
  tag: 'Operator',
  about: 'All accounts, for operators of the service.',
  ids: { accounts: 'Account id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'operator.accounts.list',
      route: 'GET /v1/operator/accounts',
      role: 'operator',
      action: 'list accounts',
      summary: 'List the accounts',
      description: 'Newest first; 50 by default.',
      answer: list(schema.OperatedAccount, 'A page of accounts.'),
      verb: ({ ctx, page }) => listAccounts(ctx.database, page),
    }),
    operation({
      id: 'operator.accounts.create',
      route: 'POST /v1/operator/accounts',
      role: 'operator',
      audit: 'account.created',
      action: 'create account',
      summary: 'Create an account',
      description: 'Its first admin key is returned only in this response.',
      body: schema.CreateAccount,
      answer: created(schema.CreatedAccount, 'The new account.'),
      answersSecret: true,
      creates: 'acc',
      verb: ({ ctx, reservedId, body }) => createAccount(ctx, reservedId, body.name),
    }),
    operation({
      id: 'operator.accounts.retrieve',
      route: 'GET /v1/operator/accounts/:id',
      role: 'operator',
      action: 'retrieve account',
      summary: 'Retrieve an account with its quotas',
      description: 'For the operator of the service.',
      answer: ok(schema.OperatedAccount, 'The account.'),
      verb: ({ ctx, params }) => retrieveAccount(ctx, params.id),
    }),
    operation({
      id: 'operator.accounts.retrieve_use',
      route: 'GET /v1/operator/accounts/:id/use',
      role: 'operator',
      action: 'retrieve use of account',
      summary: "Retrieve an account's usage of its quotas",
      description: 'For the operator of the service: the current use of each quota.',
      answer: ok(schema.AccountUse, 'The usage.'),
      verb: ({ ctx, params }) => retrieveUse(ctx, params.id),
    }),
    operation({
      id: 'operator.accounts.update',
      route: 'PATCH /v1/operator/accounts/:id',
      role: 'operator',
      audit: 'account.updated',
      action: 'update account',
      summary: 'Change the name and the quotas of an account',
      description:
        'Quotas apply within a second. Runs beyond `max_runs_a_day` or `max_stored_bytes` are refused with 409 ' +
        '`quota_reached`; at a cost quota, runs are held until the day or month is over.',
      body: schema.UpdateAccount,
      answer: ok(schema.OperatedAccount, 'The changed account.'),
      verb: ({ ctx, params, body }) => updateAccount(ctx, params.id, body),
    }),
    operation({
      id: 'operator.accounts.suspend',
      route: 'POST /v1/operator/accounts/:id/suspend',
      role: 'operator',
      audit: 'account.suspended',
      action: 'suspend account',
      summary: 'Suspend an account',
      description:
        'Until it is resumed, keys and sessions get 403 `account_suspended`, runs and webhooks are held, and no ' +
        'request expires.',
      body: schema.SuspendAccount,
      answer: ok(schema.OperatedAccount, 'The suspended account.'),
      verb: ({ ctx, params, body }) => suspendAccount(ctx, params.id, body.reason),
    }),
    operation({
      id: 'operator.accounts.resume',
      route: 'POST /v1/operator/accounts/:id/resume',
      role: 'operator',
      audit: 'account.resumed',
      action: 'resume account',
      summary: 'Resume an account',
      description: 'Runs continue where they were, and webhooks are sent.',
      answer: ok(schema.OperatedAccount, 'The account.'),
      verb: ({ ctx, params }) => resumeAccount(ctx, params.id),
    }),
    operation({
      id: 'operator.accounts.export',
      route: 'GET /v1/operator/accounts/:id/export',
      role: 'operator',
      action: 'export account',
      summary: 'Export all data of an account',
      description: 'As `GET /v1/account/export`.',
      answer: ndjson('A line for each row, then one of type `end`.'),
      verb: async (call) => {
        await retrieveAccount(call.ctx, call.params.id)
        await sendExport(call, call.params.id)
      },
    }),
    operation({
      id: 'operator.accounts.delete',
      route: 'DELETE /v1/operator/accounts/:id',
      role: 'operator',
      audit: 'account.deleted',
      action: 'delete account',
      summary: 'Delete an account and all its data',
      description:
        'Keys and sessions end at once. The rest is deleted in the background: files, jobs and models of ' +
        "fine-tunes at their providers, then every row. The account is gone once it gets 404; the operator's log " +
        'keeps a record of it.',
      answer: accepted(schema.OperatedAccount, 'The account that is being deleted.'),
      verb: ({ ctx, params }) => deleteAccount(ctx, params.id),
    }),
    operation({
      id: 'operator.log.list',
      route: 'GET /v1/operator/log',
      role: 'operator',
      action: 'list log',
      summary: "List operators' actions on accounts",
      description: 'Newest first; 50 by default.',
      answer: list(schema.OperatorEntry, 'A page of entries.'),
      verb: ({ ctx, page }) => listLog(ctx.database, page),
    }),
    operation({
      id: 'account.export',
      route: 'GET /v1/account/export',
      role: 'admin',
      action: 'export account',
      summary: 'Export all data of the account',
      description:
        'JSON Lines: `{"type": <table>, "data": <row>}` for each row as it is stored, without secrets, then ' +
        '`{"type": "end", "data": {"rows": N}}`, without which the export is incomplete. The account stays ' +
        'active, so rows may change during the export.',
      answer: ndjson('A line for each row, then one of type `end`.'),
      verb: (call) => sendExport(call, call.ctx.accountId),
    }),
  ],
}
