import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'
import { readFor } from '../../ui/form/open-new.tsx'

export const budgetsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/budgets',
  validateSearch: readFor,
  component: lazyRouteComponent(
    () => import('../../screens/budgets/budgets-screen.tsx'),
    'BudgetsScreen',
  ),
})
