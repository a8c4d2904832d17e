import type { FastifyInstance } from 'fastify'
import { accounts, audit } from '../accounts/routes.ts'
import { agents } from '../agents/routes.ts'
import { systemWords } from '../audit/words.ts'
import { batches, batchUploads } from '../sources/batches/routes.ts'
import { threads } from '../sources/threads/routes.ts'
import { alertsResource } from '../sends/alerts/routes.ts'
import { cases } from '../cases/routes.ts'
import { channelsResource } from '../sends/channels/routes.ts'
import { budgets } from '../budgets/routes.ts'
import { bulkOperations } from '../sources/bulk/routes.ts'
import { connectors } from '../connectors/routes.ts'
import { files, fileUploads } from '../files/routes.ts'
import { mailboxesResource } from '../sources/mailboxes/routes.ts'
import { models } from '../model-providers/model-routes.ts'
import { fineTunes, fineTuneUploads } from '../fine-tunes/routes.ts'
import { hooks } from '../sources/hooks/routes.ts'
import type { Resource } from '../http/operation.ts'
import { addResource } from '../http/resource-routes.ts'
import { memory } from '../memory/routes.ts'
import { modelProviders } from '../model-providers/routes.ts'
import { operator } from '../operator/routes.ts'
import { oidc } from '../people/oidc-routes.ts'
import { people } from '../people/routes.ts'
import { grants } from '../oauth-server/routes.ts'
import { policies } from '../policies/operations/routes.ts'
import { runs } from '../runs/routes.ts'
import { schedules } from '../sources/schedules/routes.ts'
import { toolCalls } from '../tool-calls/routes.ts'
import { usage } from '../usage/routes.ts'
import { views } from '../views/routes.ts'
import { webhooks } from '../sends/webhooks/routes.ts'
import { workflows } from '../workflows/routes.ts'

/** Every operation under `/v1`, by resource. */
export function resources(): Resource[] {
  const others = [
    workflows,
    runs(),
    batches(),
    threads,
    batchUploads,
    bulkOperations,
    budgets,
    agents,
    memory,
    webhooks,
    channelsResource,
    mailboxesResource,
    alertsResource,
    cases,
    connectors,
    toolCalls,
    fineTunes,
    fineTuneUploads,
    files,
    fileUploads,
    models,
    modelProviders,
    people,
    oidc,
    grants,
    policies,
    operator,
    usage,
    views,
    schedules,
    hooks,
  ]
  return [accounts, audit(auditWords([accounts, ...others])), ...others]
}

/** All audit actions: those of operations, and of changes without a request. */
export function auditWords(all: Resource[]): string[] {
  const words = all.flatMap(({ operations }) => operations.flatMap(({ audit = [] }) => audit))
  return [...new Set([...words, ...systemWords])].sort()
}

export async function addRoutes(app: FastifyInstance): Promise<void> {
  for (const resource of resources()) await addResource(app, resource)
}
