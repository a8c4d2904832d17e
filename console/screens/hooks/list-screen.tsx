import { Link } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Hook } from '../../../sdk/generated.ts'
import { schemes, useHooks } from '../../data/hooks.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { useSession } from '../../session/session.tsx'
import { useFind } from '../../ui/find.tsx'
import { List } from '../../ui/list.tsx'
import { OpenNew } from '../../ui/form/open-new.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { HookForm } from './hook-form.tsx'
import { deliveryStates, HookState } from './hook-state.tsx'

export function HooksScreen(): ReactNode {
  const { rights } = useSession()
  const query = useHooks()
  const nameOf = useWorkflowNames(query.data ?? [])
  const find = useFind((one: Hook) =>
    [one.name, schemes[one.scheme], nameOf(one.workflow_id)].join(' '),
  )
  const create = rights.write && (
    <OpenNew label="New hook">
      {(close, workflowId) => <HookForm workflowId={workflowId} close={close} />}
    </OpenNew>
  )
  return (
    <Page
      title="Hooks"
      above={<WayBack to="/connections" label="Connections" />}
      about="Events from other services that start runs."
      actions={create}
    >
      <List
        label="Hooks"
        query={query}
        find={find}
        empty={
          <Empty icon={Zap} title="No hooks yet" help="hooks">
            <p>A hook starts a workflow when GitHub, Stripe, Slack or a form sends an event.</p>
          </Empty>
        }
      >
        {(hook) => <Row hook={hook} workflow={nameOf(hook.workflow_id)} />}
      </List>
    </Page>
  )
}

function Row({ hook, workflow }: { hook: Hook; workflow: string }): ReactNode {
  const { id, name, scheme, last_delivery: last } = hook
  const state = last === null ? undefined : deliveryStates[last.status]
  return (
    <Link
      to="/inbound-hooks/$hookId"
      params={{ hookId: id }}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover focus-visible:-outline-offset-2"
    >
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
