import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const connectorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connectors',
  component: lazyRouteComponent(() => import('./connectors-screen.tsx'), 'ConnectorsScreen'),
})
