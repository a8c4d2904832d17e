import { Link, useParams } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, Trash2 } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import type { Agent } from '../../../sdk/generated.ts'
import { CallerTools } from '../../parts/agents/caller-tools.tsx'
import { Capabilities } from '../../parts/agents/capabilities.tsx'
import { CapabilityBadges } from '../../parts/connectors/capability-badges.tsx'
import { ModelField } from '../../parts/models/model-field.tsx'
import { FoldedRules } from '../../parts/rules/rules-field.tsx'
import { IconButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { fieldsOf, type Fields } from '../../ui/form/fields.ts'
import { plural } from '../../ui/text/format.ts'
import { ObjectField } from '../../ui/form/object-field.tsx'
import { PromptField } from '../../ui/form/prompt-field.tsx'
import { Badge } from '../../ui/status.tsx'
import { CreateAgent } from './create-agent.tsx'
import type { Entry } from './form.ts'

interface Props {
  entry: Entry
  index: number
  count: number
  /** The linked standing agent, if it exists. */
  agent: Agent | undefined
  agents: Agent[]
  isOpen: boolean
  toggle: () => void
  change: (entry: Entry) => void
  remove: () => void
  move: (by: 1 | -1) => void
  /** The API's error about the entry. */
  fault: Fields<Entry>['fault']
}

/** One agent of the crew: collapsed a summary, expanded its editor. */
export function CrewMember(props: Props): ReactNode {
  const { entry, index, count, agent, isOpen, toggle, remove, move } = props
  const id = useId()
  const role = agent?.role ?? entry.role
  return (
    <div className="panel">
      <div className="flex items-start gap-1 py-1.5 pr-2 pl-4">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={toggle}
          className="min-w-0 flex-1 py-1.5 text-left"
        >
          <span className="flex flex-wrap items-center gap-2">
            <span className="text-sm text-ink-faint tabular-nums">{index + 1}</span>
            <span className="min-w-0 font-medium">{role === '' ? 'A new agent' : role}</span>
            {agent !== undefined && <Badge tone="accent">{agent.name}</Badge>}
            {agent?.status === 'paused' && <Badge tone="bad">paused: runs fail here</Badge>}
            {agent === undefined && entry.agentId !== '' && (
              <Badge tone="warn">agent is gone</Badge>
            )}
            {entry.model !== '' && (
              <span className="font-mono text-xs text-ink-faint">{entry.model}</span>
            )}
          </span>
          {!isOpen && (
            <span className="mt-0.5 line-clamp-2 text-sm text-ink-soft">
              {agent?.systemPrompt ?? entry.systemPrompt}
            </span>
          )}
        </button>
        <IconButton
          label={`Move ${role} up`}
          icon={ChevronUp}
          disabled={index === 0}
          onClick={() => move(-1)}
        />
        <IconButton
          label={`Move ${role} down`}
          icon={ChevronDown}
          disabled={index === count - 1}
          onClick={() => move(1)}
        />
        <IconButton
          label={`Remove ${role}`}
          icon={Trash2}
          disabled={count === 1}
          onClick={remove}
        />
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <EntryFields {...props} />}
      </div>
    </div>
  )
}

/** Collapsed if empty, because the list is long. */
function EntryTools({
  entry: { capabilities },
  set,
  fault,
}: Pick<Props, 'entry' | 'fault'> & Pick<Fields<Entry>, 'set'>): ReactNode {
  // Unchecking the last tool must not collapse the list.
  const [hadTools] = useState(capabilities.length > 0)
  const isFaulty = fault !== undefined && /^(capabilities|connectors)/.test(fault.param)
  return (
    <details open={isFaulty || hadTools}>
      <summary className="mb-2 text-sm font-medium text-ink-soft">
        Tools · {capabilities.length === 0 ? 'none' : plural(capabilities.length, 'action')}
      </summary>
      <Capabilities
        chosen={capabilities}
        change={(chosen) => set({ capabilities: chosen })}
        fault={fault}
      />
    </details>
  )
}

function EntryFields({ entry, index, agent, agents, change, fault }: Props): ReactNode {
  const { workflowId } = useParams({ strict: false })
  const where = {
    level: 'crew_entry',
    order: index,
    ...(workflowId !== undefined && { workflow_id: workflowId }),
  } as const
  const { set, field } = fieldsOf(entry, change, fault)
  const link = (agentId: string) => {
    const chosen = agents.find(({ id }) => id === agentId)
    // The entry's own role and prompt stay as the fallback if the agent is deleted.
    set({
      agentId,
      ...(chosen === undefined || entry.role !== '' ? {} : { role: chosen.role }),
      ...(chosen === undefined || entry.systemPrompt !== ''
        ? {}
        : { systemPrompt: chosen.systemPrompt }),
    })
  }
  return (
    <div className="grid gap-4 border-t p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Standing agent"
          {...field('agentId')}
          onChange={link}
          options={[
            { value: '', label: 'None: a role of this workflow' },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
            ...(entry.agentId !== '' && agent === undefined
              ? [{ value: entry.agentId, label: 'An agent that is gone' }]
              : []),
          ]}
        />
        {agent === undefined && (
          <ModelField label="Model" none="The workflow’s model" {...field('model')} />
        )}
      </div>
      {agent !== undefined ? (
        <div className="grid gap-2 text-sm text-ink-soft">
          <p>
            Its live definition runs here, in all its workflows.{' '}
            <Link to="/agents/$agentId" params={{ agentId: agent.id }} className="link">
              Edit {agent.name}
            </Link>
          </p>
          <CapabilityBadges capabilities={agent.capabilities} />
        </div>
      ) : (
        <>
          <TextField label="Role" longest={60} required {...field('role')} />
          <PromptField label="Instructions" {...field('systemPrompt')} />
          <TextField
            label="Max tokens per turn"
            hint="256 to 32,000. Empty: no limit."
            inputMode="numeric"
            {...field('maxTokens')}
          />
          <EntryTools entry={entry} set={set} fault={fault} />
          <CallerTools {...field('tools')} />
          <CreateAgent entry={entry} link={(agentId) => set({ agentId })} />
        </>
      )}
      <ObjectField
        label="Output schema"
        hint="JSON Schema of the output, with an object at its root."
        {...field('outputSchema', 'output_schema')}
      />
      <FoldedRules {...field('rules')} where={where} />
    </div>
  )
}
