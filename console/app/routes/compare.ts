import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

export const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId/compare/$otherId',
  component: lazyRouteComponent(
    () => import('../../screens/compare/compare-screen.tsx'),
    'CompareScreen',
  ),
})
