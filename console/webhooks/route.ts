import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./list-screen.tsx'), 'WebhooksScreen'),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(() => import('./webhook-screen.tsx'), 'WebhookScreen'),
})

export const webhookRoutes = [list, one] as const
