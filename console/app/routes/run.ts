import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId',
  /** `at`: the row of the timeline that is selected. */
  validateSearch: (search: Record<string, unknown>): { at?: string } =>
    typeof search['at'] === 'string' ? { at: search['at'] } : {},
  component: lazyRouteComponent(() => import('../../screens/run/run-screen.tsx'), 'RunScreen'),
})
