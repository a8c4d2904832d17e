import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'
import { readStatus } from '../../ui/status-filter.tsx'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/batches',
  validateSearch: readFind,
  component: lazyRouteComponent(
    () => import('../../screens/batches/list-screen.tsx'),
    'BatchesScreen',
  ),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/batches/$batchId',
  validateSearch: readStatus,
  component: lazyRouteComponent(
    () => import('../../screens/batches/batch-screen.tsx'),
    'BatchScreen',
  ),
})

export const batchRoutes = [list, one] as const
