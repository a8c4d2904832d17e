import type { FastifyRequest } from 'fastify'
import type { Context, Services } from '../../context.ts'
import { refuseSuspended } from '../../identity.ts'
import { newId } from '../../ids.ts'
import type { Person } from '../../people/find-person.ts'

/** The context of a person who answers without a session: through an email link or from Slack. */
export async function actFor(
  services: Services,
  accountId: string,
  person: Person,
  request: Pick<FastifyRequest, 'ip' | 'id'>,
): Promise<Context> {
  const action = 'respond to run'
  refuseSuspended(person, action)
  const actor = { type: 'user', id: person.id, name: person.name, sessionId: '' } as const
  return {
    ...services,
    database: services.shares.of(accountId, { isFirst: true }),
    models: await services.accountModels.of(accountId),
    accountId,
    account: person.account,
    actor,
    role: person.role,
    action,
    audit: {
      id: newId('aud'),
      actor,
      action: 'run.responded',
      address: request.ip,
      requestId: request.id,
    },
  }
}
