import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Workflow } from '../../../sdk/generated.ts'
import { useAgents } from '../../data/agents.ts'
import { useBudgets } from '../../data/budgets.ts'
import { useChannels, useMailboxes } from '../../data/channels.ts'
import { schemes, useHooks } from '../../data/hooks.ts'
import { useSchedules } from '../../data/schedules.ts'
import { CapabilityBadges } from '../../parts/connectors/capability-badges.tsx'
import { useSession } from '../../session/session.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Badge } from '../../ui/status.tsx'
import { formatUsd } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'

/**
 * What starts a workflow, the tools of its agents, who hears of its requests, and what it may cost;
 * offers to add what is missing.
 */
export function Connected({ workflow }: { workflow: Workflow }): ReactNode {
  return (
    <dl className="panel divide-y">
      <Triggers workflow={workflow} />
      <Tools workflow={workflow} />
      <Channels workflow={workflow} />
      <Budgets workflow={workflow} />
    </dl>
  )
}

function Triggers({ workflow: { id } }: { workflow: Workflow }): ReactNode {
  const { rights } = useSession()
  const { data: schedules } = useSchedules(id)
  const { data: allHooks } = useHooks()
  const { data: allMailboxes } = useMailboxes()
  const hooks = allHooks?.filter((one) => one.workflow_id === id)
  const mailboxes = allMailboxes?.filter((one) => one.workflow_id === id)
  if (!schedules || !hooks || !mailboxes) return <Row name="Triggers">…</Row>
  const isAlone = schedules.length + hooks.length + mailboxes.length === 0
  return (
    <Row
      name="Triggers"
      offers={
        <>
          {rights.write && schedules.length === 0 && (
            <Offer to="/schedules" id={id} label="Add a schedule" />
          )}
          {rights.write && hooks.length === 0 && (
            <Offer to="/inbound-hooks" id={id} label="Add a hook" />
          )}
          {rights.administer && mailboxes.length === 0 && (
            <Offer to="/mailboxes" id={id} label="Connect a mailbox" />
          )}
        </>
      }
    >
      {isAlone && <p className="text-ink-soft">Only started by hand or by a program.</p>}
      {schedules.map(({ id: scheduleId, name, in_words: words, next_due_at: next, status }) => (
        <p key={scheduleId}>
          <Link to="/schedules/$scheduleId" params={{ scheduleId }} className="link">
            {name}
          </Link>{' '}
          <span className="text-ink-soft">
            {words}
            {next !== null && (
              <>
                , next <Ago at={next} />
              </>
            )}
          </span>
          {status === 'paused' && <Paused />}
        </p>
      ))}
      {hooks.map(({ id: hookId, name, scheme, status }) => (
        <p key={hookId}>
          <Link to="/inbound-hooks/$hookId" params={{ hookId }} className="link">
            {name}
          </Link>{' '}
          <span className="text-ink-soft">
            hook, {scheme === 'none' ? 'without a signature' : schemes[scheme]}
          </span>
          {status === 'paused' && <Paused />}
        </p>
      ))}
      {mailboxes.map(({ id: mailboxId, name, username, folder, active, state }) => (
        <p key={mailboxId}>
          <Link to="/mailboxes" className="link">
            {name}
          </Link>{' '}
          <span className="text-ink-soft">
            emails to {username} in {folder}
          </span>
          {!active && <Paused />}
          {active && state === 'failing' && <Failing />}
        </p>
      ))}
    </Row>
  )
}

function Tools({ workflow: { crew } }: { workflow: Workflow }): ReactNode {
  const { rights } = useSession()
  const { data: agents = [] } = useAgents()
  const users = crew.flatMap(({ role, agentId, capabilities }) => {
    const agent = agents.find(({ id }) => id === agentId)
    const own = agentId === undefined ? capabilities : agent?.capabilities
    return own === undefined || own.length === 0 ? [] : [{ role, capabilities: own }]
  })
  return (
    <Row
      name="Tools"
      offers={
        rights.administer &&
        users.length === 0 && (
          <Link to="/connectors" className={buttonLook()}>
            <Plus size={15} aria-hidden="true" /> Connect a tool
          </Link>
        )
      }
    >
      {users.length === 0 && <p className="text-ink-soft">None: its agents only write text.</p>}
      {users.map(({ role, capabilities }, index) => (
        <div key={index} className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span>{role}</span>
          <CapabilityBadges capabilities={capabilities} />
        </div>
      ))}
    </Row>
  )
}

function Channels({ workflow: { id } }: { workflow: Workflow }): ReactNode {
  const { rights } = useSession()
  const { data } = useChannels()
  const channels = data?.filter(({ workflow_ids: ids }) => ids === null || ids.includes(id))
  return (
    <Row
      name="Channels"
      offers={
        rights.administer &&
        channels?.length === 0 && <Offer to="/channels" id={id} label="Add a channel" />
      }
    >
      {channels?.length === 0 && (
        <p className="text-ink-soft">Requests wait in the inbox, and nobody is notified.</p>
      )}
      {channels?.map((channel) => (
        <p key={channel.id}>
          <Link to="/channels" className="link">
            {channel.name}
          </Link>{' '}
          <span className="text-ink-soft">
            {channel.kind === 'slack' ? `Slack ${channel.slack_channel}` : 'email'}
          </span>
          {!channel.active && <Paused />}
          {channel.active && channel.state === 'failing' && <Failing />}
        </p>
      ))}
    </Row>
  )
}

const windows = { day: 'today', week: 'this week', month: 'this month' }

function Budgets({ workflow: { id, limits } }: { workflow: Workflow }): ReactNode {
  const { rights } = useSession()
  const { data } = useBudgets()
  const budgets = data?.filter(
    ({ scope, scope_value: value }) =>
      scope === 'account' || (scope === 'workflow' && value === id),
  )
  const ofRun = limits.max_cost_usd
  return (
    <Row
      name="Budget"
      offers={
        rights.administer &&
        budgets?.every(({ scope }) => scope === 'account') === true && (
          <Offer to="/budgets" id={id} label="Set a budget" />
        )
      }
    >
      {budgets?.length === 0 && ofRun === null && <p className="text-ink-soft">No limit.</p>}
      {ofRun !== null && <p>Up to {formatUsd(ofRun)} a run</p>}
      {budgets?.map(({ id: budgetId, name, scope, window, warnings, ...budget }) => (
        <p key={budgetId}>
          <Link to="/budgets" className="link">
            {name}
          </Link>{' '}
          <span className="text-ink-soft tabular-nums">
            {formatUsd(budget.spent_usd)} of {formatUsd(budget.cap_usd)} {windows[window]}
            {scope === 'account' && ', for the whole account'}
          </span>
          {warnings.length > 0 && (
            <>
              {' '}
              <Badge tone="warn">price unknown</Badge>
            </>
          )}
          {budget.reached && (
            <>
              {' '}
              <Badge tone="bad">reached</Badge>
            </>
          )}
        </p>
      ))}
    </Row>
  )
}

interface RowProps {
  name: string
  offers?: ReactNode
  children: ReactNode
}

function Row({ name, offers, children }: RowProps): ReactNode {
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <dt className="w-full text-sm text-ink-soft sm:w-32 sm:py-0.5">{name}</dt>
      <dd className="grid min-w-0 flex-1 basis-64 gap-1.5 wrap-anywhere">{children}</dd>
      <dd className="flex flex-wrap gap-2 empty:hidden">{offers}</dd>
    </div>
  )
}

interface OfferProps {
  to: '/schedules' | '/inbound-hooks' | '/mailboxes' | '/channels' | '/budgets'
  id: string
  label: string
}

/** Leads to the form for something new, with this workflow chosen. */
function Offer({ to, id, label }: OfferProps): ReactNode {
  return (
    <Link to={to} search={{ for: id }} className={buttonLook()}>
      <Plus size={15} aria-hidden="true" /> {label}
    </Link>
  )
}

function Paused(): ReactNode {
  return (
    <>
      {' '}
      <Badge tone="neutral">paused</Badge>
    </>
  )
}

function Failing(): ReactNode {
  return (
    <>
      {' '}
      <Badge tone="bad">failing</Badge>
    </>
  )
}
