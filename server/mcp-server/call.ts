import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditWord } from '../audit/words.ts'
import type { Context } from '../context.ts'
import { newId } from '../ids.ts'
import type { Scope } from '../oauth-server/scopes.ts'

/** A request at `/mcp`, as its methods see it. */
export interface Call {
  request: FastifyRequest
  reply: FastifyReply
  scopes: ReadonlySet<Scope>
  /** Counts the request as one that waits; aborts when its client leaves or its key ends. Called once. */
  hold: () => AbortSignal
}

/** The context of a verb, as if the API had called it. Verbs that only read have no action in the audit log. */
export function contextOf(
  { request }: Pick<Call, 'request'>,
  action: string,
  { word, auditId = newId('aud') }: { word?: AuditWord; auditId?: string } = {},
): Context {
  const { ctx, ip: address, id: requestId } = request
  const audit = { id: auditId, actor: ctx.actor, action: word as AuditWord, address, requestId }
  return { ...ctx, action, audit }
}
