import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { Badge } from '../ui/status.tsx'
import { connectorsQuery } from './queries.ts'

/** What an agent may do, with the risk of each. */
export function CapabilityBadges({ capabilities }: { capabilities: string[] }): ReactNode {
  const { muster } = useSession()
  const { data: connectors = [] } = useQuery(connectorsQuery(muster))
  const actions = new Map(
    connectors.flatMap(({ actions }) => actions.map((action) => [action.id, action])),
  )
  if (capabilities.length === 0) return <p>It may not act outside.</p>
  return (
    <ul className="flex flex-wrap gap-1.5">
      {capabilities.map((id) => {
        const action = actions.get(id)
        const isRisky = action?.sensitive ?? true
        return (
          <li key={id}>
            <Badge
              tone={
                action === undefined || action.unavailable !== null
                  ? 'bad'
                  : isRisky
                    ? 'warn'
                    : 'neutral'
              }
            >
              <span className="font-mono">{id}</span>
              {action === undefined
                ? '· gone'
                : action.unavailable !== null
                  ? '· not connected'
                  : isRisky
                    ? '· writes outside'
                    : '· reads'}
            </Badge>
          </li>
        )
      })}
    </ul>
  )
}
