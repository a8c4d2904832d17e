import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface Of {
  id: string
  name: string
}

/** The link from the history to its workflow or agent. */
export function BackToWorkflow({ id, name }: Of): ReactNode {
  return (
    <p className="mb-1 text-sm text-ink-soft">
      <Link to="/workflows/$workflowId" params={{ workflowId: id }} className="hover:underline">
        {name}
      </Link>
    </p>
  )
}

export function BackToAgent({ id, name }: Of): ReactNode {
  return (
    <p className="mb-1 text-sm text-ink-soft">
      <Link to="/agents/$agentId" params={{ agentId: id }} className="hover:underline">
        {name}
      </Link>
    </p>
  )
}
