import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'
import { isDay } from './days.ts'

/** What the list shows, as it stands in the address. */
export interface Filters {
  actor_id?: string
  action?: string
  object_id?: string
  /** Days of the viewer's zone, both included. */
  from?: string
  to?: string
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const readers = { actor_id: isText, action: isText, object_id: isText, from: isDay, to: isDay }

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): Filters =>
    Object.fromEntries(
      Object.entries(readers).flatMap(([name, isRight]) =>
        isRight(search[name]) ? [[name, search[name]]] : [],
      ),
    ),
  component: lazyRouteComponent(() => import('./audit-screen.tsx'), 'AuditScreen'),
})
