import { Link } from '@tanstack/react-router'
import { GraduationCap, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePages } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { plural } from '../../ui/text/format.ts'
import { rowLook } from '../../ui/list.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { FineTuneState } from './state.tsx'

export function FineTunesScreen(): ReactNode {
  const { rights } = useSession()
  const query = usePages(['fine-tunes'], (muster, options) => muster.fine_tunes.list(options), {
    refetchInterval: 5_000,
  })
  const create = rights.write && (
    <Link to="/fine-tunes/new" className={buttonLook({ kind: 'primary' })}>
      <Plus size={15} aria-hidden="true" /> New fine-tune
    </Link>
  )
  return (
    <ResourceList
      title="Fine-tunes"
      about="Models trained on your own examples, at a provider."
      actions={create}
      query={query}
      textOf={({ name, base_model_label: base }) => [name, base].join(' ')}
      empty={{
        icon: GraduationCap,
        title: 'Nothing was trained yet',
        help: 'fineTunes',
        text: 'Train on an upload, or on what the steps of your completed runs wrote.',
        action: create,
      }}
    >
      {(fineTune) => (
        <Link to="/fine-tunes/$fineTuneId" params={{ fineTuneId: fineTune.id }} className={rowLook}>
          <span className="min-w-0 flex-1 basis-60">
            <span className="block truncate font-medium">{fineTune.name}</span>
            <span className="block truncate text-sm text-ink-soft">
              {fineTune.base_model_label} · {plural(fineTune.example_count, 'example')}
            </span>
          </span>
          <span className="text-sm text-ink-soft">
            <FineTuneState fineTune={fineTune} />
          </span>
          <span className="text-sm text-ink-faint sm:w-24 sm:text-right">
            <Ago at={fineTune.created_at} />
          </span>
        </Link>
      )}
    </ResourceList>
  )
}
