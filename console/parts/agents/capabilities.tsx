import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Connector, ConnectorAction } from '../../../sdk/generated.ts'
import { useConnectors } from '../../data/connectors.ts'
import { useSession } from '../../session/session.tsx'
import { CheckField } from '../../ui/form/field.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'

interface Props {
  chosen: string[]
  change: (chosen: string[]) => void
  /** The API's error about the form. */
  fault: { param: string; message: string } | undefined
}

/** Checkboxes for the actions of each connector, with their risk. */
export function Capabilities({ chosen, change, fault }: Props): ReactNode {
  const query = useConnectors()
  const isHere = fault !== undefined && /^(capabilities|connectors)/.test(fault.param)
  const problem = isHere ? fault.message : undefined
  return (
    <div className="panel divide-y">
      {problem !== undefined && (
        <p role="alert" className="px-4 py-3 text-sm text-bad">
          {problem}
        </p>
      )}
      <Loaded query={query} lines={5}>
        {(connectors) => (
          <>
            {connectors.map((connector) => (
              <Group key={connector.id} connector={connector} chosen={chosen} change={change} />
            ))}
            <Gone connectors={connectors} chosen={chosen} change={change} />
          </>
        )}
      </Loaded>
    </div>
  )
}

interface GroupProps {
  connector: Connector
  chosen: string[]
  change: (chosen: string[]) => void
}

function Group({ connector, chosen, change }: GroupProps): ReactNode {
  const { rights } = useSession()
  const { label, connected, actions } = connector
  const shown = actions.filter(({ id, unavailable }) => unavailable === null || chosen.includes(id))
  const toggle = (id: string, isOn: boolean) =>
    change(isOn ? [...chosen, id] : chosen.filter((other) => other !== id))
  return (
    <fieldset className="px-4 py-3">
      <legend className="float-left mr-3 mb-2 font-medium">{label}</legend>
      {!connected && (
        <p className="text-sm text-ink-faint">
          Not connected.{' '}
          {rights.administer ? (
            <Link to="/connectors" className="link">
              Connect it
            </Link>
          ) : (
            'An admin can connect it.'
          )}
        </p>
      )}
      <div className="clear-both grid gap-2.5">
        {shown.map((action) => (
          <CheckField
            key={action.id}
            label={<ActionName action={action} />}
            hint={action.unavailable ?? action.description}
            checked={chosen.includes(action.id)}
            onChange={(isOn) => toggle(action.id, isOn)}
          />
        ))}
      </div>
    </fieldset>
  )
}

function ActionName({ action }: { action: ConnectorAction }): ReactNode {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="font-mono text-sm">{action.id}</span>
      {action.sensitive && <Badge tone="warn">changes other systems</Badge>}
    </span>
  )
}

/** Capabilities whose connector or action no longer exists: they can only be removed. */
function Gone({
  connectors,
  chosen,
  change,
}: { connectors: Connector[] } & Omit<GroupProps, 'connector'>): ReactNode {
  const known = new Set(connectors.flatMap(({ actions }) => actions.map(({ id }) => id)))
  const gone = chosen.filter((id) => !known.has(id))
  if (gone.length === 0) return null
  return (
    <fieldset className="grid gap-2.5 px-4 py-3">
      <legend className="font-medium">Gone</legend>
      {gone.map((id) => (
        <CheckField
          key={id}
          label={<span className="font-mono text-sm">{id}</span>}
          hint="Its connector no longer offers it."
          checked
          onChange={() => change(chosen.filter((other) => other !== id))}
        />
      ))}
    </fieldset>
  )
}
