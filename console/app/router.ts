import { auditRoute } from './routes/audit.ts'
import { createRouter } from '@tanstack/react-router'
import { agentRoutes } from './routes/agents.ts'
import { compareRoute } from './routes/compare.ts'
import { channelRoutes } from './routes/channels.ts'
import { batchRoutes, threadRoutes } from './routes/batches-and-threads.ts'
import { budgetsRoute } from './routes/budgets.ts'
import { connectionsRoute, connectorsRoute, toolCallsRoute } from './routes/connectors.ts'
import { devRoutes } from './routes/dev.ts'
import { fileRoutes } from './routes/files.ts'
import { fineTuneRoutes } from './routes/fine-tunes.ts'
import { helpRoutes } from './routes/help.ts'
import { homeRoute, signInRoute } from './routes/home.ts'
import { inboxRoute } from './routes/inbox.ts'
import { keysRoute } from './routes/keys.ts'
import { peopleRoute } from './routes/people.ts'
import { policiesRoute } from './routes/policies.ts'
import { modelProvidersRoute } from './routes/model-providers.ts'
import { authorizeRoute, profileRoute } from './routes/profile.ts'
import { runRoute } from './routes/run.ts'
import { runsRoute } from './routes/runs.ts'
import { hookRoutes, scheduleRoutes } from './routes/triggers.ts'
import { templatesRoute } from './routes/templates.ts'
import { rootRoute } from './root-route.ts'
import { ScreenFailed } from './shell/screen-failed.tsx'
import { usageRoute } from './routes/usage.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { workflowRoutes } from './routes/workflows.ts'

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    signInRoute,
    inboxRoute,
    runsRoute,
    runRoute,
    compareRoute,
    ...workflowRoutes,
    ...scheduleRoutes,
    ...hookRoutes,
    ...batchRoutes,
    ...threadRoutes,
    budgetsRoute,
    templatesRoute,
    ...agentRoutes,
    ...channelRoutes,
    connectionsRoute,
    connectorsRoute,
    toolCallsRoute,
    modelProvidersRoute,
    ...fileRoutes,
    ...fineTuneRoutes,
    ...webhookRoutes,
    usageRoute,
    keysRoute,
    auditRoute,
    peopleRoute,
    policiesRoute,
    profileRoute,
    authorizeRoute,
    ...helpRoutes,
    ...devRoutes,
  ]),
  defaultPreload: 'intent',
  // An error takes a screen away, never the shell.
  defaultErrorComponent: ScreenFailed,
  defaultPendingMinMs: 0,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
