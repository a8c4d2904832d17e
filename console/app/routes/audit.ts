import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { isDay, isKind, type Filters } from '../../data/audit-filters.ts'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const readers = {
  actor_id: isText,
  action: isText,
  object_id: isText,
  kind: isKind,
  from: isDay,
  to: isDay,
}

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): Filters =>
    Object.fromEntries(
      Object.entries(readers).flatMap(([name, isRight]) =>
        isRight(search[name]) ? [[name, search[name]]] : [],
      ),
    ),
  component: lazyRouteComponent(
    () => import('../../screens/audit/audit-screen.tsx'),
    'AuditScreen',
  ),
})
