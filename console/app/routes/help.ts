import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

const component = lazyRouteComponent(
  () => import('../../screens/help/help-screen.tsx'),
  'HelpScreen',
)

export const helpRoutes = [
  createRoute({ getParentRoute: () => rootRoute, path: '/help', component }),
  createRoute({ getParentRoute: () => rootRoute, path: '/help/$', component }),
] as const
