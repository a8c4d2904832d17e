import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'

const component = lazyRouteComponent(
  () => import('../../screens/help/help-screen.tsx'),
  'HelpScreen',
)

export const helpRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/help',
    validateSearch: readFind,
    component,
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/help/$',
    validateSearch: readFind,
    component,
  }),
] as const
