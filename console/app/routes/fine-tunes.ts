import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/fine-tunes',
  validateSearch: readFind,
  component: lazyRouteComponent(
    () => import('../../screens/fine-tunes/list-screen.tsx'),
    'FineTunesScreen',
  ),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/fine-tunes/new',
  component: lazyRouteComponent(
    () => import('../../screens/fine-tunes/new-screen.tsx'),
    'NewFineTuneScreen',
  ),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/fine-tunes/$fineTuneId',
  component: lazyRouteComponent(
    () => import('../../screens/fine-tunes/fine-tune-screen.tsx'),
    'FineTuneScreen',
  ),
})

export const fineTuneRoutes = [list, create, one] as const
