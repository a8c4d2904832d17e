import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

/** The shared parts on one page, for those who build the console; the built one has no such page. */
export const devRoutes = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: '/dev/ui',
        component: lazyRouteComponent(() => import('../../screens/dev/ui-screen.tsx'), 'UiScreen'),
      }),
    ]
  : []
