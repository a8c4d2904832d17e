import { CSPProvider } from '@base-ui/react/csp-provider'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { nameLoadErrors } from './not-loaded.ts'
import { router } from './router.ts'
import { keepTranslated } from './translated.ts'
import { SessionProvider } from '../session/session.tsx'
import '../styles.css'
import '../ui/text/language.ts'

nameLoadErrors()
const root = document.getElementById('root')
// An old browser has none left; see `public/old-browser.js`.
if (root !== null) {
  keepTranslated(root)
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </CSPProvider>
    </StrictMode>,
  )
}
