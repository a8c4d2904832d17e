import { Link } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Hook } from '../../../sdk/generated.ts'
import { schemes, useHooks } from '../../data/hooks.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { useSession } from '../../session/session.tsx'
import { rowLook } from '../../ui/list.tsx'
import { OpenNew } from '../../ui/form/open-new.tsx'
import { WayBack } from '../../ui/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { HookForm } from './hook-form.tsx'
import { deliveryStates, HookState } from './hook-state.tsx'

export function HooksScreen(): ReactNode {
  const { rights } = useSession()
  const query = useHooks()
  const nameOf = useWorkflowNames(query.data ?? [])
  const create = rights.write && (
    <OpenNew label="New hook">
      {(close, workflowId) => <HookForm workflowId={workflowId} close={close} />}
    </OpenNew>
  )
  return (
    <ResourceList
      title="Hooks"
      above={<WayBack to="/connections" label="Connections" />}
      about="Events from other services that start runs."
      actions={create}
      query={query}
      textOf={(one) => [one.name, schemes[one.scheme], nameOf(one.workflow_id)].join(' ')}
      empty={{
        icon: Zap,
        title: 'No hooks yet',
        help: 'hooks',
        text: 'A hook starts a workflow when GitHub, Stripe, Slack or a form sends an event.',
      }}
    >
      {(hook) => <Row hook={hook} workflow={nameOf(hook.workflow_id)} />}
    </ResourceList>
  )
}

function Row({ hook, workflow }: { hook: Hook; workflow: string }): ReactNode {
  const { id, name, scheme, last_delivery: last } = hook
  const state = last === null ? undefined : deliveryStates[last.status]
  return (
    <Link to="/inbound-hooks/$hookId" params={{ hookId: id }} className={rowLook}>
      <span className="min-w-0 flex-1 basis-64">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-sm text-ink-soft">{schemes[scheme]}</span>
      </span>
      <span className="min-w-0 truncate text-sm text-ink-soft sm:w-44">{workflow}</span>
      <span className="text-sm sm:w-32">
        <HookState hook={hook} />
      </span>
      <span className="flex items-center gap-2 text-sm sm:w-48 sm:justify-end">
        {last !== null && state !== undefined && (
          <>
            <Ago at={last.received_at} />
            <Badge tone={state.tone}>{state.word}</Badge>
          </>
        )}
      </span>
    </Link>
  )
}
