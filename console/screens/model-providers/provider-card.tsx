import type { ReactNode } from 'react'
import type { ModelProvider } from '../../../sdk/generated.ts'
import { useRefreshProviders } from '../../data/model-providers.ts'
import { ConnectionCard } from '../../parts/connectors/connection-card.tsx'
import { useSession } from '../../session/session.tsx'
import { plural } from '../../ui/text/format.ts'
import { ProviderForm } from './provider-form.tsx'

/** One provider: its state, the key in use, its models, and its settings for admins. */
export function ProviderCard({ provider }: { provider: ModelProvider }): ReactNode {
  const { id, kind, stored, available, base_url: url } = provider
  const { muster } = useSession()
  return (
    <ConnectionCard
      connection={provider}
      unstored={available ? 'Ready' : 'No key'}
      details={
        <>
          <span>{keyWords(provider)}</span>
          {url !== null && <span className="wrap-anywhere">{url}</span>}
        </>
      }
      // The operator's own servers accept no key of the account.
      isSettable={stored || kind === 'builtin'}
      connectLabel="Add key"
      test={() => muster.model_providers.test(id)}
      remove={() => muster.model_providers.remove(id)}
      removeLabel="Remove"
      removeWarning="The stored key is deleted. Runs that use its models fail, unless this server has its own key."
      refresh={useRefreshProviders()}
      renderForm={(close) => <ProviderForm provider={provider} close={close} />}
    >
      <OwnModels provider={provider} />
    </ConnectionCard>
  )
}

function keyWords({ source, has_key: hasKey, stored }: ModelProvider): string {
  if (stored) return hasKey ? 'Key of this account' : 'Without a key'
  return source === 'server' ? 'Key of the server' : ''
}

function OwnModels({ provider: { id, models } }: { provider: ModelProvider }): ReactNode {
  if (models.length === 0) return null
  return (
    <details className="border-t">
      <summary className="px-4 py-2 text-sm text-ink-soft hover:bg-hover">
        {plural(models.length, 'model')}
      </summary>
      <ul className="divide-y border-t">
        {models.map((model) => (
          <li key={model.id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2 text-sm">
            <span className="font-mono wrap-anywhere">{`${id}/${model.id}`}</span>
            {model.label !== undefined && <span className="text-ink-soft">{model.label}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
