import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/api-keys',
  component: lazyRouteComponent(() => import('./keys-screen.tsx'), 'KeysScreen'),
})
