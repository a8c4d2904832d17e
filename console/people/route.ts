import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { readFind } from '../ui/find.tsx'

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  validateSearch: readFind,
  component: lazyRouteComponent(() => import('./people-screen.tsx'), 'PeopleScreen'),
})
