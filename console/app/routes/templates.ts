import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

export const templatesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/templates',
  component: lazyRouteComponent(
    () => import('../../screens/templates/templates-screen.tsx'),
    'TemplatesScreen',
  ),
})
