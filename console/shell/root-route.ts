import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from './not-found.tsx'
import { ScreenFailed } from './screen-failed.tsx'
import { Shell } from './shell.tsx'

export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ScreenFailed,
})
