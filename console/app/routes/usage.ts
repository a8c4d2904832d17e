import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readView } from '../../parts/usage/view.ts'

export const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  validateSearch: readView,
  component: lazyRouteComponent(
    () => import('../../screens/usage/usage-screen.tsx'),
    'UsageScreen',
  ),
})
