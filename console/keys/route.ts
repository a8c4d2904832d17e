import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { readFind } from '../ui/find.tsx'

export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/api-keys',
  validateSearch: readFind,
  component: lazyRouteComponent(() => import('./keys-screen.tsx'), 'KeysScreen'),
})
