import { getRouteApi } from '@tanstack/react-router'
import { FileClock } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { usePages } from '../../session/api.ts'
import { screenFor } from '../../session/for-role.tsx'
import { List } from '../../ui/list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { kindOf, queryOf } from '../../data/audit-filters.ts'
import { CutNotice, DownloadAudit } from './download.tsx'
import { Entry } from './entry.tsx'
import { FilterBar } from './filter-bar.tsx'
import { useObjectNames } from './object-names.ts'

const route = getRouteApi('/audit')

/** Who changed what, newest first. */
export const AuditScreen = screenFor('administer', 'Audit', Audit)

function Audit(): ReactNode {
  const filters = route.useSearch()
  const [isCut, setIsCut] = useState(false)
  const query = usePages(['audit', filters], (muster, options) =>
    muster.audit.list({ ...options, ...queryOf(filters), limit: 50 }),
  )
  const nameOf = useObjectNames()
  const noun = kindOf(filters) === 'activity' ? 'activity' : 'changes'
  return (
    <Page
      title="Audit"
      about="Who changed what, when and from where. Activity lists runs that were started and files that were added."
      actions={<DownloadAudit filters={filters} setIsCut={setIsCut} />}
    >
      <FilterBar />
      {isCut && <CutNotice />}
      <List
        label="Changes"
        query={query}
        lines={8}
        empty={<Empty icon={FileClock} title={`No matching ${noun}`} help="audit" />}
      >
        {(entry) => <Entry entry={entry} nameOf={nameOf} />}
      </List>
    </Page>
  )
}
