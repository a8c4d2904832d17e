import { Link } from '@tanstack/react-router'
import { GraduationCap, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { FineTune } from '../../../sdk/generated.ts'
import { usePages } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { plural } from '../../ui/text/format.ts'
import { useFind } from '../../ui/find.tsx'
import { List } from '../../ui/list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { FineTuneState } from './state.tsx'

export function FineTunesScreen(): ReactNode {
  const { rights } = useSession()
  const query = usePages(['fine-tunes'], (muster, options) => muster.fine_tunes.list(options), {
    refetchInterval: 5_000,
  })
  const find = useFind(({ name, base_model_label: base }: FineTune) => [name, base].join(' '))
  const create = rights.write && (
    <Link to="/fine-tunes/new" className={buttonLook({ kind: 'primary' })}>
      <Plus size={15} aria-hidden="true" /> New fine-tune
    </Link>
  )
  return (
    <Page
      title="Fine-tunes"
      about="Models trained on your own examples, at a provider."
      actions={create}
    >
      <List
        label="Fine-tunes"
        query={query}
        find={find}
        empty={
          <Empty icon={GraduationCap} title="Nothing was trained yet" help="fineTunes">
            <p>Train on an upload, or on what the steps of your completed runs wrote.</p>
            {create}
          </Empty>
        }
      >
        {(fineTune) => (
          <Link
            to="/fine-tunes/$fineTuneId"
            params={{ fineTuneId: fineTune.id }}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover focus-visible:-outline-offset-2"
          >
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
      </List>
    </Page>
  )
}
