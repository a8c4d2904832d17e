import { getRouteApi } from '@tanstack/react-router'
import { FileClock, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { usePages } from '../../session/api.ts'
import { screenFor } from '../../session/for-role.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { List } from '../../ui/list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { useTyped } from '../../ui/form/typed.ts'
import { isDay, queryOf } from '../../data/audit-filters.ts'
import { CutNotice, DownloadAudit } from './download.tsx'
import { Entry } from './entry.tsx'

const route = getRouteApi('/audit')

/** Who changed what, newest first; nothing is ever taken out. */
export const AuditScreen = screenFor('administer', 'Audit', Audit)

function Audit(): ReactNode {
  const filters = route.useSearch()
  const [isCut, setIsCut] = useState(false)
  const query = usePages(['audit', filters], (muster, options) =>
    muster.audit.list({ ...options, ...queryOf(filters), limit: 50 }),
  )
  return (
    <Page
      title="Audit"
      about="Every change, by whom and from where."
      actions={<DownloadAudit filters={filters} setIsCut={setIsCut} />}
    >
      <div className="mb-4 flex flex-wrap items-end gap-2">
        <Day label="From" name="from" />
        <Day label="To" name="to" />
      </div>
      {isCut && <CutNotice />}
      <Chosen />
      <List
        label="Changes"
        query={query}
        lines={8}
        empty={<Empty icon={FileClock} title="No change is like that" />}
      >
        {(entry) => <Entry entry={entry} />}
      </List>
    </Page>
  )
}

function Day({ label, name }: { label: string; name: 'from' | 'to' }): ReactNode {
  const { [name]: day = '', ...others } = route.useSearch()
  const navigate = route.useNavigate()
  const field = useTyped(day, (typed) => {
    const search = isDay(typed) ? { ...others, [name]: typed } : others
    void navigate({ search, replace: true })
  })
  return <TextField label={label} type="date" {...field} />
}

const names = { actor_id: 'By', action: 'Action', object_id: 'Object' } as const

/** The filters that hold, each with its way out; days are in their fields. */
function Chosen(): ReactNode {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const held = (Object.keys(names) as (keyof typeof names)[]).flatMap((name) => {
    const value = filters[name]
    return value === undefined ? [] : [{ name, value }]
  })
  if (held.length === 0) return null
  return (
    <ul aria-label="Filters" className="mb-4 flex flex-wrap gap-2">
      {held.map(({ name, value }) => (
        <li key={name}>
          <button
            type="button"
            aria-label={`Remove the filter ${names[name]} ${value}`}
            onClick={() => void navigate({ search: { ...filters, [name]: undefined } })}
            className="flex min-h-8 items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-3 text-sm text-accent"
          >
            {names[name]} <span className="font-mono text-xs wrap-anywhere">{value}</span>
            <X size={14} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  )
}
