import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  validateSearch: readFind,
  component: lazyRouteComponent(
    () => import('../../screens/schedules/list-screen.tsx'),
    'SchedulesScreen',
  ),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules/$scheduleId',
  component: lazyRouteComponent(
    () => import('../../screens/schedules/schedule-screen.tsx'),
    'ScheduleScreen',
  ),
})

export const scheduleRoutes = [list, one] as const
