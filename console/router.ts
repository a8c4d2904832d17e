import { auditRoute } from './audit/route.ts'
import { createRouter } from '@tanstack/react-router'
import { agentRoutes } from './agents/route.ts'
import { connectorsRoute } from './connectors/route.ts'
import { devRoutes } from './dev/route.ts'
import { fileRoutes } from './files/route.ts'
import { fineTuneRoutes } from './fine-tunes/route.ts'
import { homeRoute, signInRoute } from './home/route.ts'
import { inboxRoute } from './inbox/route.ts'
import { keysRoute } from './keys/route.ts'
import { peopleRoute } from './people/route.ts'
import { policiesRoute } from './policies/route.ts'
import { modelProvidersRoute } from './model-providers/route.ts'
import { profileRoute } from './profile/route.ts'
import { runRoute } from './run/route.ts'
import { runsRoute } from './runs/route.ts'
import { rootRoute } from './shell/root-route.ts'
import { usageRoute } from './usage/route.ts'
import { webhookRoutes } from './webhooks/route.ts'
import { workflowRoutes } from './workflows/route.ts'

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    signInRoute,
    inboxRoute,
    runsRoute,
    runRoute,
    ...workflowRoutes,
    ...agentRoutes,
    connectorsRoute,
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
    ...devRoutes,
  ]),
  defaultPreload: 'intent',
  defaultPendingMinMs: 0,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
