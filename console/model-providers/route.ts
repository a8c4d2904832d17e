import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const modelProvidersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/model-providers',
  component: lazyRouteComponent(() => import('./providers-screen.tsx'), 'ProvidersScreen'),
})
