import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

export const channelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/channels',
  component: lazyRouteComponent(
    () => import('../../screens/channels/channels-screen.tsx'),
    'ChannelsScreen',
  ),
})
