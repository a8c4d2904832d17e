import type { FastifyInstance } from 'fastify'
import { accountRoutes } from '../accounts/routes.ts'
import { connectorRoutes } from '../connectors/routes.ts'
import { agentRoutes } from '../agents/routes.ts'
import { modelRoutes } from '../fine-tunes/model-routes.ts'
import { fineTuneRoutes } from '../fine-tunes/routes.ts'
import { memoryRoutes } from '../memory/routes.ts'
import { runRoutes } from '../runs/routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { workflowRoutes } from '../workflows/routes.ts'

/** Every route under `/v1`, one plugin a noun. */
export async function addRoutes(app: FastifyInstance): Promise<void> {
  await app.register(accountRoutes)
  await app.register(workflowRoutes)
  await app.register(runRoutes)
  await app.register(agentRoutes)
  await app.register(memoryRoutes)
  await app.register(webhookRoutes)
  await app.register(connectorRoutes)
  await app.register(fineTuneRoutes)
  await app.register(modelRoutes)
}
