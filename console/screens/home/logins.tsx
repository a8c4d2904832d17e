import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useConnectors } from '../../data/connectors.ts'
import { Dot } from '../../ui/status.tsx'

/** Connectors at which an admin or the person has to log in; nothing if there are none. */
export function Logins(): ReactNode {
  const { data = [] } = useConnectors()
  const waiting = data.filter(({ state }) => state === 'needs_login')
  const [first] = waiting
  if (first === undefined) return null
  return (
    <Link to="/connectors" hash={first.id} className="hover:underline">
      <Dot tone="warn">
        {waiting.length === 1
          ? `${first.label} needs a login`
          : `${waiting.length} connectors need a login`}
      </Dot>
    </Link>
  )
}
