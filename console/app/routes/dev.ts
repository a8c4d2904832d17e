import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

/** All shared components on one page, for developers of the console; left out of the build. */
export const devRoutes = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: '/dev/ui',
        component: lazyRouteComponent(() => import('../../screens/dev/ui-screen.tsx'), 'UiScreen'),
      }),
    ]
  : []
