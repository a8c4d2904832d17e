import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFind } from '../../ui/find.tsx'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/files',
  validateSearch: readFind,
  component: lazyRouteComponent(() => import('../../screens/files/list-screen.tsx'), 'FilesScreen'),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/files/$fileId',
  component: lazyRouteComponent(() => import('../../screens/files/file-screen.tsx'), 'FileScreen'),
})

export const fileRoutes = [list, one] as const
