import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

export const modelProvidersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/model-providers',
  component: lazyRouteComponent(
    () => import('../../screens/model-providers/providers-screen.tsx'),
    'ProvidersScreen',
  ),
})
