import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'
import { readFor } from '../../ui/form/open-new.tsx'
import { readStatus } from '../../ui/status-filter.tsx'

/** Schedules, hooks and mailboxes. */
const schedules = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  validateSearch: (search) => ({ ...readFind(search), ...readFor(search) }),
  component: lazyRouteComponent(
    () => import('../../screens/schedules/list-screen.tsx'),
    'SchedulesScreen',
  ),
})

const schedule = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules/$scheduleId',
  validateSearch: readStatus,
  component: lazyRouteComponent(
    () => import('../../screens/schedules/schedule-screen.tsx'),
    'ScheduleScreen',
  ),
})

export const scheduleRoutes = [schedules, schedule] as const

const hooks = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbound-hooks',
  validateSearch: (search) => ({ ...readFind(search), ...readFor(search) }),
  component: lazyRouteComponent(() => import('../../screens/hooks/list-screen.tsx'), 'HooksScreen'),
})

const hook = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbound-hooks/$hookId',
  validateSearch: readStatus,
  component: lazyRouteComponent(() => import('../../screens/hooks/hook-screen.tsx'), 'HookScreen'),
})

export const hookRoutes = [hooks, hook] as const
