import type { ReactNode } from 'react'
import type { ConnectorAction } from '../../../sdk/generated.ts'
import { Badge } from '../../ui/status.tsx'
import { useConnectors } from '../../data/connectors.ts'

/** The capabilities of an agent with their risk. */
export function CapabilityBadges({ capabilities }: { capabilities: string[] }): ReactNode {
  const { data: connectors = [] } = useConnectors()
  const actions = new Map(
    connectors.flatMap(({ actions }) => actions.map((action) => [action.id, action])),
  )
  if (capabilities.length === 0) return <p>It may not act outside.</p>
  return (
    <ul className="flex flex-wrap gap-1.5">
      {capabilities.map((id) => {
        const { tone, word } = riskOf(actions.get(id))
        return (
          <li key={id}>
            <Badge tone={tone}>
              <span className="font-mono">{id}</span>
              {word !== undefined && ` · ${word}`}
            </Badge>
          </li>
        )
      })}
    </ul>
  )
}

function riskOf(action: ConnectorAction | undefined): {
  tone: 'bad' | 'warn' | 'neutral'
  word?: string
} {
  if (action === undefined) return { tone: 'bad', word: 'gone' }
  if (action.unavailable !== null) return { tone: 'bad', word: 'not connected' }
  return action.sensitive ? { tone: 'warn', word: 'changes other systems' } : { tone: 'neutral' }
}
