import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../shell/root-route.ts'

/** What the list shows, as it stands in the address. */
export interface Filters {
  actor_id?: string
  action?: string
  object_id?: string
}

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): Filters =>
    Object.fromEntries(
      (['actor_id', 'action', 'object_id'] as const).flatMap((name) =>
        typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [],
      ),
    ),
  component: lazyRouteComponent(() => import('./audit-screen.tsx'), 'AuditScreen'),
})
