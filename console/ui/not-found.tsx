import { Link } from '@tanstack/react-router'
import { MapPinOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonLook } from './button.tsx'
import { Empty } from './states.tsx'

export function NotFound(): ReactNode {
  return (
    <Empty icon={MapPinOff} title="Page not found" help={null} isPage>
      <p>There is no such address, or what it names is gone or belongs to another account.</p>
      <Link to="/" className={buttonLook()}>
        Home
      </Link>
    </Empty>
  )
}
