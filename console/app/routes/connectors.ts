import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readStatus } from '../../ui/status-filter.tsx'
import { rootRoute } from '../root-route.ts'

export const connectorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connectors',
  component: lazyRouteComponent(
    () => import('../../screens/connectors/connectors-screen.tsx'),
    'ConnectorsScreen',
  ),
})

/** The way to connectors and all other connections. */
export const connectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections',
  component: lazyRouteComponent(
    () => import('../../screens/connections/connections-screen.tsx'),
    'ConnectionsScreen',
  ),
})

export const toolCallsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tool-calls',
  validateSearch: readStatus,
  component: lazyRouteComponent(
    () => import('../../screens/tool-calls/tool-calls-screen.tsx'),
    'ToolCallsScreen',
  ),
})
