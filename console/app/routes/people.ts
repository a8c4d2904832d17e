import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  /** `invited`: the search among invitations. */
  validateSearch: (search: Record<string, unknown>): { find?: string; invited?: string } => {
    const { find: invited } = readFind({ find: search['invited'] })
    return { ...readFind(search), ...(invited !== undefined && { invited }) }
  },
  component: lazyRouteComponent(
    () => import('../../screens/people/people-screen.tsx'),
    'PeopleScreen',
  ),
})
