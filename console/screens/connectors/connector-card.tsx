import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Connector } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { plural } from '../../ui/text/format.ts'
import { Badge } from '../../ui/status.tsx'
import { Text } from '../../ui/text/text.tsx'
import { ConnectBuiltin } from './connect-builtin.tsx'
import { ConnectMcp } from './connect-mcp.tsx'
import { ConnectionState, TestResult } from '../../parts/connectors/connection-state.tsx'

/** One connector: how it stands, its actions with their risk, and what an admin can do. */
export function ConnectorCard({ connector }: { connector: Connector }): ReactNode {
  const { id, label, kind, stored, state, message, url, changed_tools: changed = [] } = connector
  const { muster, rights } = useSession()
  const refresh = useRefresh(['connectors'])
  const [connects, setConnects] = useState(false)
  // Comes with Muster and takes no credentials.
  const isAlwaysThere = kind === 'builtin' && id === 'files'
  const test = useMutation({
    mutationFn: () => muster.connectors.test(id),
    onSuccess: refresh,
  })
  const disconnect = async () => {
    await muster.connectors.disconnect(id)
    await refresh()
  }
  const close = () => setConnects(false)
  return (
    <section aria-label={label} className="panel overflow-hidden">
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <div className="min-w-0 flex-1 basis-48">
          <h2 className="font-semibold">{label}</h2>
          <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-soft">
            <ConnectionState
              connection={connector}
              other={connector.connected ? 'Ready' : 'Not connected'}
            />
            <span className="font-mono text-xs text-ink-faint">{id}</span>
            {url !== undefined && <span className="wrap-anywhere">{url}</span>}
          </p>
        </div>
        {rights.administer && !isAlwaysThere && (
          <div className="flex flex-wrap gap-2">
            {stored && (
              <Button isBusy={test.isPending} onClick={() => test.mutate()}>
                Test
              </Button>
            )}
            <Button onClick={() => setConnects(true)}>{stored ? 'Change' : 'Connect'}</Button>
            {stored && (
              <ConfirmButton
                label="Disconnect"
                kind="quiet"
                title={`Disconnect ${label}?`}
                action="Disconnect"
                wayOut="Stay connected"
                run={disconnect}
              >
                Its stored secrets are deleted. Agents that use it go on without its actions.
              </ConfirmButton>
            )}
          </div>
        )}
      </div>
      {changed.length > 0 && (
        <p role="alert" className="border-t bg-warn-soft px-4 py-2 text-sm text-warn">
          Changed or gone since it was connected, and refused until an admin connects it again:{' '}
          <span className="font-mono text-xs">{changed.join(', ')}</span>
        </p>
      )}
      {state === 'failing' && test.data === undefined && message !== null && (
        <p className="border-t bg-bad-soft px-4 py-2 text-sm wrap-anywhere text-bad">{message}</p>
      )}
      {test.data !== undefined && <TestResult ok={test.data.ok} message={test.data.message} />}
      {test.error !== null && (
        <div className="border-t p-3">
          <Failure error={test.error} />
        </div>
      )}
      <Actions connector={connector} />
      {connects &&
        (kind === 'mcp' ? (
          <ConnectMcp connector={connector} close={close} />
        ) : (
          <ConnectBuiltin connector={connector} close={close} />
        ))}
    </section>
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
