import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readInboxFilter } from '../../data/inbox-filter.ts'

const inbox = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: readInboxFilter,
  component: lazyRouteComponent(
    () => import('../../screens/inbox/inbox-screen.tsx'),
    'InboxScreen',
  ),
})

const case_ = createRoute({
  getParentRoute: () => inbox,
  path: '$pendingId',
  component: lazyRouteComponent(() => import('../../screens/inbox/case-screen.tsx'), 'CaseScreen'),
})

export const inboxRoute = inbox.addChildren([case_])
