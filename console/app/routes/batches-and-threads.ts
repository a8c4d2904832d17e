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

const threads = createRoute({
  getParentRoute: () => rootRoute,
  path: '/threads',
  validateSearch: readFind,
  component: lazyRouteComponent(
    () => import('../../screens/threads/list-screen.tsx'),
    'ThreadsScreen',
  ),
})

const thread = createRoute({
  getParentRoute: () => rootRoute,
  path: '/threads/$threadId',
  component: lazyRouteComponent(
    () => import('../../screens/threads/thread-screen.tsx'),
    'ThreadScreen',
  ),
})

export const threadRoutes = [threads, thread] as const
