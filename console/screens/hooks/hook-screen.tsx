import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Hook } from '../../../sdk/generated.ts'
import { schemes, useHook } from '../../data/hooks.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { useSession } from '../../session/session.tsx'
import { Found } from '../../ui/found.tsx'
import { Page, Section, WayBack } from '../../ui/page.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { Deliveries } from './deliveries.tsx'
import { HookActions } from './hook-actions.tsx'
import { HookState } from './hook-state.tsx'
import { Routing } from './routing.tsx'

/** One hook: its address, its filter and templates, and its deliveries. */
export function HookScreen(): ReactNode {
  const { hookId } = useParams({ from: '/inbound-hooks/$hookId' })
  const { rights } = useSession()
  const query = useHook(hookId)
  return (
    <Found query={query} tab="Hook" lines={8}>
      {(hook) => (
        <Page
          title={hook.name}
          tab="Hook"
          above={
            <WayBack to="/inbound-hooks" label="Hooks">
              <HookState hook={hook} />
            </WayBack>
          }
          about={<About hook={hook} />}
          actions={rights.write && <HookActions hook={hook} />}
        >
          {hook.url !== null && <Address url={hook.url} />}
          <Routing key={hook.id} hook={hook} />
          <Deliveries hookId={hook.id} />
        </Page>
      )}
    </Found>
  )
}

function About({ hook }: { hook: Hook }): ReactNode {
  const nameOf = useWorkflowNames([hook])
  const { scheme, workflow_id: workflowId } = hook
  return (
    <p className="flex flex-wrap gap-x-3">
      <span>Signatures: {schemes[scheme]}</span>
      <Link to="/workflows/$workflowId" params={{ workflowId }} className="link">
        {nameOf(workflowId)}
      </Link>
    </p>
  )
}

function Address({ url }: { url: string }): ReactNode {
  return (
    <Section title="Address">
      <div className="flex items-center gap-2 rounded-md border bg-sunken p-2 pl-3">
        <output aria-label="Address" className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">
          {url}
        </output>
        <CopyButton text={url} label="Copy address" />
      </div>
    </Section>
  )
}
