import { Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { ConnectMcp } from './connect-mcp.tsx'
import { ConnectorCard } from './connector-card.tsx'
import { useConnectors } from '../../data/connectors.ts'

/** The ways for agents to act outside: what is connected, whether it works, what changed. */
export function ConnectorsScreen(): ReactNode {
  const { rights } = useSession()
  const [adds, setAdds] = useState(false)
  const query = useConnectors()
  return (
    <Page
      title="Connectors"
      about="What agents may be allowed to use. Secrets are stored encrypted and never shown again."
      actions={
        rights.administer && (
          <Button kind="primary" icon={Plus} onClick={() => setAdds(true)}>
            Add an MCP server
          </Button>
        )
      }
    >
      {adds && <ConnectMcp close={() => setAdds(false)} />}
      <Loaded query={query} lines={8}>
        {(connectors) => (
          <ul aria-label="Connectors" className="grid gap-3">
            {connectors.map((connector) => (
              <li key={connector.id}>
                <ConnectorCard connector={connector} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Page>
  )
}
