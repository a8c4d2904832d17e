import Type from 'typebox'
import { created, deleted, inFormats, list, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { toAuditCsv, toJsonLines, listAudit } from './list-audit.ts'
import { createKey, deleteKey, listKeys, retrieveAccount } from './keys.ts'
import { renameAccount, retrieveAccountName } from './rename.ts'
import * as schema from './schema.ts'
import { Text } from '../wire-types.ts'

export const accounts: Resource = {
  tag: 'Accounts',
  about: 'The account, its keys, its audit log and its workers.',
  ids: { 'api-keys': 'Key id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'account.retrieve',
      route: 'GET /v1/account',
      role: 'viewer',
      action: 'retrieve account',
      summary: 'Retrieve the account of a key',
      description: 'The account that the key belongs to.',
      answer: ok(schema.Account, 'The account and the key of this request.'),
      verb: ({ ctx }) => retrieveAccount(ctx),
    }),
    operation({
      id: 'account.update',
      route: 'PATCH /v1/account',
      role: 'admin',
      audit: 'account.updated',
      action: 'update account',
      summary: 'Rename the account',
      description: 'Changes its name, which people see in the console and in messages.',
      body: schema.RenameAccount,
      answer: ok(schema.AccountName, 'The account with its new name.'),
      // Only keys can read their account; people read its name in /v1/me.
      stored: ({ ctx }) =>
        ctx.actor.type === 'key' ? retrieveAccount(ctx) : retrieveAccountName(ctx),
      verb: ({ ctx, body }) => renameAccount(ctx, body),
    }),
    operation({
      id: 'workers.retrieve',
      route: 'GET /v1/workers',
      role: 'viewer',
      action: 'retrieve workers',
      summary: 'Retrieve the number of workers',
      description: 'Workers serve all accounts. Without any, runs stay queued until one starts.',
      answer: ok(schema.Workers, 'The workers of the service.'),
      verb: async ({ ctx }) => {
        const { alive, lastSeenAt } = await ctx.queue.presence.workers()
        return { alive, last_seen_at: lastSeenAt }
      },
    }),
    operation({
      id: 'api_keys.list',
      route: 'GET /v1/api-keys',
      cli: { command: 'keys list' },
      columns: ['id', 'name', 'role', 'prefix as key', 'expires_at', 'last_used_at'],
      role: 'admin',
      action: 'list API keys',
      summary: 'List API keys',
      description: 'Newest first; 100 by default.',
      answer: list(schema.ApiKey, 'A page of keys.'),
      verb: ({ ctx, page }) => listKeys(ctx, page),
    }),
    operation({
      id: 'api_keys.create',
      route: 'POST /v1/api-keys',
      cli: { command: 'keys create' },
      columns: ['id', 'name', 'role', 'expires_at', 'key'],
      role: 'admin',
      audit: 'api_key.created',
      action: 'create API key',
      summary: 'Create an API key',
      description: 'The key is returned only in this response.',
      body: schema.CreateApiKey,
      answer: created(schema.CreatedApiKey, 'The new key.'),
      answersSecret: true,
      creates: 'key',
      verb: ({ ctx, reservedId, body }) => createKey(ctx, reservedId, body),
    }),
    operation({
      id: 'api_keys.delete',
      route: 'DELETE /v1/api-keys/:id',
      cli: { command: 'keys revoke' },
      role: 'admin',
      audit: 'api_key.deleted',
      action: 'delete API key',
      summary: 'Revoke an API key',
      description: 'It stops working at once, on every process.',
      answer: deleted('The key is revoked.'),
      verb: ({ ctx, params }) => deleteKey(ctx, params.id),
    }),
  ],
}

/** `words` are the audit actions of all other resources. */
export function audit(words: readonly string[]): Resource {
  const description = `Only changes of this kind: ${words.join(', ')}.`
  const action = Type.Optional(Text(100, description))
  return {
    tag: 'Accounts',
    schemas: {},
    operations: [
      operation({
        id: 'audit.list',
        route: 'GET /v1/audit',
        cli: { command: 'audit', limit: 50 },
        role: 'admin',
        action: 'list audit',
        summary: 'List who changed what',
        description:
          'Newest first; 50 by default. As JSON Lines with `Accept: application/x-ndjson`, as CSV with ' +
          '`Accept: text/csv`.',
        query: { ...schema.auditQuery, action },
        answer: inFormats(list(schema.AuditEntry, 'A page of changes.'), {
          'application/x-ndjson': toJsonLines,
          'text/csv': toAuditCsv,
        }),
        verb: ({ ctx, page, query }) => listAudit(ctx, page, query, words),
      }),
    ],
  }
}
