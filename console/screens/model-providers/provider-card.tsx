import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ModelProvider } from '../../../sdk/generated.ts'
import { ConnectionState, TestResult } from '../../parts/connectors/connection-state.tsx'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { plural } from '../../ui/text/format.ts'
import { ProviderForm } from './provider-form.tsx'
import { useRefreshProviders } from '../../data/model-providers.ts'

/** One provider: whose key is used, whether it works, its models, and what an admin can do. */
export function ProviderCard({ provider }: { provider: ModelProvider }): ReactNode {
  const { id, label, kind, stored, state, message, available, base_url: url } = provider
  const { muster, rights } = useSession()
  const refresh = useRefreshProviders()
  const [changes, setChanges] = useState(false)
  const test = useMutation({
    mutationFn: () => muster.model_providers.test(id),
    onSuccess: refresh,
  })
  const remove = async () => {
    await muster.model_providers.remove(id)
    await refresh()
  }
  // The operator's own servers take no key of the account.
  const isSettable = stored || kind === 'builtin'
  return (
    <section aria-label={label} className="panel overflow-hidden">
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <div className="min-w-0 flex-1 basis-48">
          <h2 className="font-semibold wrap-anywhere">{label}</h2>
          <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-soft">
            <ConnectionState connection={provider} other={available ? 'Ready' : 'No key'} />
            <span className="font-mono text-xs text-ink-faint">{id}</span>
            <span>{keyWords(provider)}</span>
            {url !== null && <span className="wrap-anywhere">{url}</span>}
          </p>
        </div>
        {rights.administer && isSettable && (
          <div className="flex flex-wrap gap-2">
            {stored && (
              <Button isBusy={test.isPending} onClick={() => test.mutate()}>
                Test
              </Button>
            )}
            <Button onClick={() => setChanges(true)}>{stored ? 'Change' : 'Add key'}</Button>
            {stored && (
              <ConfirmButton
                label="Remove"
                kind="quiet"
                title={`Remove ${label}?`}
                action="Remove"
                wayOut="Keep"
                run={remove}
              >
                The stored key is deleted. Runs that use its models fail, unless this server has a
                key of its own.
              </ConfirmButton>
            )}
          </div>
        )}
      </div>
      {state === 'failing' && test.data === undefined && message !== null && (
        <p className="border-t bg-bad-soft px-4 py-2 text-sm wrap-anywhere text-bad">{message}</p>
      )}
      {test.data !== undefined && <TestResult ok={test.data.ok} message={test.data.message} />}
      {test.error !== null && (
        <div className="border-t p-3">
          <Failure error={test.error} />
        </div>
      )}
      <OwnModels provider={provider} />
      {changes && <ProviderForm provider={provider} close={() => setChanges(false)} />}
    </section>
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
