import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFor } from '../../ui/form/open-new.tsx'

const channels = createRoute({
  getParentRoute: () => rootRoute,
  path: '/channels',
  validateSearch: readFor,
  component: lazyRouteComponent(
    () => import('../../screens/channels/channels-screen.tsx'),
    'ChannelsScreen',
  ),
})

const mailboxes = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mailboxes',
  validateSearch: readFor,
  component: lazyRouteComponent(
    () => import('../../screens/mailboxes/mailboxes-screen.tsx'),
    'MailboxesScreen',
  ),
})

export const channelRoutes = [channels, mailboxes] as const
