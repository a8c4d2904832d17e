import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root-route.ts'

export const budgetsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/budgets',
  component: lazyRouteComponent(
    () => import('../../screens/budgets/budgets-screen.tsx'),
    'BudgetsScreen',
  ),
})
