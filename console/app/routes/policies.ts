import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

export const policiesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/policies',
  component: lazyRouteComponent(
    () => import('../../screens/policies/policies-screen.tsx'),
    'PoliciesScreen',
  ),
})
