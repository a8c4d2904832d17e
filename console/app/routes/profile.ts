import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

export const profileRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/profile',
  component: lazyRouteComponent(
    () => import('../../screens/profile/profile-screen.tsx'),
    'ProfileScreen',
  ),
})

/** Where the authorization server leads a browser; visitors sign in first. */
export const authorizeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/authorize',
  validateSearch: ({ request }: Record<string, unknown>): { request: string } => ({
    request: typeof request === 'string' ? request : '',
  }),
  component: lazyRouteComponent(
    () => import('../../screens/authorize/authorize-screen.tsx'),
    'AuthorizeScreen',
  ),
})
