import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from '../ui/not-found.tsx'
import { ScreenFailed } from './shell/screen-failed.tsx'
import { Shell } from './shell/shell.tsx'

export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ScreenFailed,
})
