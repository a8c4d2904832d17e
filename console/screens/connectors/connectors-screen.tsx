import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { ConnectApi } from './connect-api.tsx'
import { ConnectMcp } from './connect-mcp.tsx'
import { ConnectorCard } from './connector-card.tsx'
import { useConnectors } from '../../data/connectors.ts'

/** Connectors with their states, actions and changed tools. */
export function ConnectorsScreen(): ReactNode {
  const { rights } = useSession()
  const query = useConnectors()
  return (
    <Page
      title="Connectors"
      above={<WayBack to="/connections" label="Connections" />}
      about="Services that agents can be allowed to use. Secrets are stored encrypted and never shown again."
      actions={
        rights.administer && (
          <>
            <OpenForm icon={Plus} label="Add an HTTP API">
              {(close) => <ConnectApi close={close} />}
            </OpenForm>
            <OpenForm kind="primary" icon={Plus} label="Add an MCP server">
              {(close) => <ConnectMcp close={close} />}
            </OpenForm>
          </>
        )
      }
    >
      <Loaded query={query} lines={8}>
        {(connectors) => (
          <ul aria-label="Connectors" className="grid gap-3">
            {connectors.map((connector) => (
              <li key={connector.id} id={connector.id}>
                <ConnectorCard connector={connector} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Page>
  )
}
