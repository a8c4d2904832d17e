import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readVersionSearch } from '../../data/versions.ts'
import { readFind } from '../../ui/find.tsx'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  validateSearch: readFind,
  component: lazyRouteComponent(
    () => import('../../screens/agents/list-screen.tsx'),
    'AgentsScreen',
  ),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/new',
  component: lazyRouteComponent(
    () => import('../../screens/agents/new-screen.tsx'),
    'NewAgentScreen',
  ),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$agentId',
  component: lazyRouteComponent(
    () => import('../../screens/agents/agent-screen.tsx'),
    'AgentScreen',
  ),
})

const versions = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$agentId/versions',
  validateSearch: readVersionSearch,
  component: lazyRouteComponent(
    () => import('../../screens/agents/versions-screen.tsx'),
    'AgentVersionsScreen',
  ),
})

export const agentRoutes = [list, create, one, versions] as const
