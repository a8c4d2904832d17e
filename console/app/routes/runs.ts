import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFilters } from '../../data/runs/filters.ts'

export const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('../../screens/runs/runs-screen.tsx'), 'RunsScreen'),
})
