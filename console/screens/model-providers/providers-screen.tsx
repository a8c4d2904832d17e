import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { isEnded } from '../../parts/models/model-words.ts'
import { useModels } from '../../data/models.ts'
import { useSession } from '../../session/session.tsx'
import { useNow } from '../../ui/text/clock.ts'
import { dayMs } from '../../ui/text/format.ts'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { Page, Section, WayBack } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { ProviderCard } from './provider-card.tsx'
import { ProviderForm } from './provider-form.tsx'
import { useModelProviders } from '../../data/model-providers.ts'

/** Model providers: with keys of the account or the server, and servers of the account. */
export function ProvidersScreen(): ReactNode {
  const { rights } = useSession()
  const query = useModelProviders()
  return (
    <Page
      title="Model providers"
      above={<WayBack to="/connections" label="Connections" />}
      about="API keys and servers for models. Keys are stored encrypted and never shown again."
      actions={
        rights.administer && (
          <OpenForm kind="primary" icon={Plus} label="Add a server">
            {(close) => <ProviderForm close={close} />}
          </OpenForm>
        )
      }
    >
      <Loaded query={query} lines={8}>
        {(providers) => (
          <ul aria-label="Model providers" className="grid grid-cols-1 gap-3">
            {providers.map((provider) => (
              <li key={provider.id}>
                <ProviderCard provider={provider} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <EndedModels />
    </Page>
  )
}

/** Models that have ended, and are no longer offered in choices. */
function EndedModels(): ReactNode {
  const { data: models = [] } = useModels()
  const now = useNow(dayMs)
  const ended = models.filter((model) => isEnded(model, now))
  if (ended.length === 0) return null
  return (
    <div className="mt-8">
      <Section title="Ended models">
        <ul className="panel divide-y">
          {ended.map(({ id, label, shutdown_date: end }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2.5 text-sm">
              <span className="font-medium">{label}</span>
              <span className="font-mono text-xs text-ink-faint">{id}</span>
              <span className="text-ink-soft sm:ml-auto">ended {end}</span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  )
}
