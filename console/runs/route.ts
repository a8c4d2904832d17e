import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { readFilters } from './filters.ts'

export const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('./runs-screen.tsx'), 'RunsScreen'),
})
