import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId',
  /** `at`: the row of the timeline that is selected. */
  validateSearch: (search: Record<string, unknown>): { at?: string } =>
    typeof search['at'] === 'string' ? { at: search['at'] } : {},
  component: lazyRouteComponent(() => import('./run-screen.tsx'), 'RunScreen'),
})
