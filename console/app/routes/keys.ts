import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'

export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/api-keys',
  validateSearch: readFind,
  component: lazyRouteComponent(() => import('../../screens/keys/keys-screen.tsx'), 'KeysScreen'),
})
