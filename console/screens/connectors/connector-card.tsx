import type { ReactNode } from 'react'
import type { Connector } from '../../../sdk/generated.ts'
import { ConnectionCard } from '../../parts/connectors/connection-card.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Badge } from '../../ui/status.tsx'
import { plural } from '../../ui/text/format.ts'
import { Text } from '../../ui/text/text.tsx'
import { ApiDetails } from './api-details.tsx'
import { ConnectApi } from './connect-api.tsx'
import { ConnectBuiltin } from './connect-builtin.tsx'
import { ConnectMcp } from './connect-mcp.tsx'
import { LogIn } from './log-in.tsx'

/** One connector: its state, its actions with their risk, and for admins its credentials. */
export function ConnectorCard({ connector }: { connector: Connector }): ReactNode {
  const { id, kind, url, changed_tools: changed = [] } = connector
  const { muster } = useSession()
  const refresh = useRefresh(['connectors'])
  const isApi = kind === 'http' || kind === 'openapi'
  const Form = isApi ? ConnectApi : kind === 'mcp' ? ConnectMcp : ConnectBuiltin
  const address = connector.base_url ?? url
  return (
    <ConnectionCard
      connection={connector}
      unstored={connector.connected ? 'Ready' : 'Not connected'}
      details={address !== undefined && <span className="wrap-anywhere">{address}</span>}
      isSettable={kind === 'mcp' || isApi || connector.credentials_schema !== undefined}
      connectLabel="Connect"
      test={() => muster.connectors.test(id)}
      remove={() => muster.connectors.disconnect(id)}
      removeLabel="Disconnect"
      removeWarning="Its stored secrets are deleted. Agents that use it continue without its actions."
      refresh={refresh}
      login={<LogIn connector={connector} />}
      renderForm={(close) => <Form connector={connector} close={close} />}
    >
      {changed.length > 0 && (
        <p role="alert" className="border-t bg-warn-soft px-4 py-2 text-sm text-warn">
          Changed or gone since it was connected, and refused until an admin connects it again:{' '}
          <span className="font-mono text-xs">{changed.join(', ')}</span>
        </p>
      )}
      {isApi && <ApiDetails connector={connector} />}
      <Actions connector={connector} />
    </ConnectionCard>
  )
}

function Actions({ connector: { actions } }: { connector: Connector }): ReactNode {
  if (actions.length === 0) return null
  return (
    <details className="border-t">
      <summary className="px-4 py-2 text-sm text-ink-soft hover:bg-hover">
        {plural(actions.length, 'action')}
      </summary>
      <ul className="divide-y border-t">
        {actions.map(({ id, description, sensitive, unavailable }) => (
          <li key={id} className="px-4 py-2.5">
            <p className="flex flex-wrap items-center gap-2">
              <span className="font-mono text-sm">{id}</span>
              {sensitive && <Badge tone="warn">changes other systems</Badge>}
              {unavailable !== null && <Badge tone="bad">{unavailable}</Badge>}
            </p>
            <div className="text-sm text-ink-soft">
              <Text text={description} limit={600} />
            </div>
          </li>
        ))}
      </ul>
    </details>
  )
}
