import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readVersionSearch } from '../../data/versions.ts'
import { readFind } from '../../ui/find.tsx'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows',
  validateSearch: readFind,
  component: lazyRouteComponent(
    () => import('../../screens/workflows/list-screen.tsx'),
    'WorkflowsScreen',
  ),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows/new',
  component: lazyRouteComponent(
    () => import('../../screens/workflows/new-screen.tsx'),
    'NewWorkflowScreen',
  ),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows/$workflowId',
  component: lazyRouteComponent(
    () => import('../../screens/workflows/workflow-screen.tsx'),
    'WorkflowScreen',
  ),
})

const versions = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows/$workflowId/versions',
  validateSearch: readVersionSearch,
  component: lazyRouteComponent(
    () => import('../../screens/workflows/versions-screen.tsx'),
    'WorkflowVersionsScreen',
  ),
})

export const workflowRoutes = [list, create, one, versions] as const
