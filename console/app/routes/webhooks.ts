import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'
import { readStatus } from '../../ui/status-filter.tsx'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  validateSearch: readFind,
  component: lazyRouteComponent(
    () => import('../../screens/webhooks/list-screen.tsx'),
    'WebhooksScreen',
  ),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/$webhookId',
  validateSearch: readStatus,
  component: lazyRouteComponent(
    () => import('../../screens/webhooks/webhook-screen.tsx'),
    'WebhookScreen',
  ),
})

export const webhookRoutes = [list, one] as const
