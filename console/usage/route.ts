import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { readView } from './view.ts'

export const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  validateSearch: readView,
  component: lazyRouteComponent(() => import('./usage-screen.tsx'), 'UsageScreen'),
})
