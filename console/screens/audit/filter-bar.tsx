import { getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { isDay, kindOf, kinds, type Filters, type Kind } from '../../data/audit-filters.ts'
import { actionLabel, auditPhrases } from '../../data/audit-words.ts'
import { useApiKeys, useUsers } from '../../data/people.ts'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useTyped } from '../../ui/form/typed.ts'

const route = getRouteApi('/audit')

/**
 * Filters: changes or activity as chips; person, action and days as fields; an object, chosen from
 * an entry, as a chip.
 */
export function FilterBar(): ReactNode {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: { [Name in keyof Filters]?: Filters[Name] | undefined }) =>
    void navigate({ search: { ...filters, ...change } as Filters })
  const { actor_id: actor = '', action = '', object_id: object } = filters
  return (
    <div className="mb-4 grid gap-3">
      <div role="group" aria-label="Kind" className="flex flex-wrap gap-1.5">
        {(Object.keys(kinds) as Kind[]).map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={kindOf(filters) === kind}
            onClick={() => set({ kind, action: undefined })}
            className="h-8 rounded-full border px-3 text-sm text-ink-soft hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent pointer-coarse:h-10"
          >
            {kinds[kind]}
          </button>
        ))}
        {object !== undefined && (
          <button
            type="button"
            aria-label={`Remove the filter Object ${object}`}
            onClick={() => set({ object_id: undefined })}
            className="flex min-h-8 max-w-full items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-3 text-sm text-accent"
          >
            Object <span className="font-mono text-xs wrap-anywhere">{object}</span>
            <X size={14} aria-hidden="true" />
          </button>
        )}
      </div>
      <div className="grid grid-cols-2 items-end gap-2 lg:grid-cols-4">
        <SelectField
          label="Person or key"
          value={actor}
          onChange={(id) => set({ actor_id: id === '' ? undefined : id })}
          options={[{ value: '', label: 'Anyone' }, ...useActors(actor)]}
        />
        <SelectField
          label="Action"
          value={action}
          onChange={(word) => set({ action: word === '' ? undefined : word, kind: undefined })}
          options={[
            { value: '', label: 'Any action' },
            ...Object.keys(auditPhrases).map((word) => ({ value: word, label: actionLabel(word) })),
          ]}
        />
        <Day label="From" name="from" />
        <Day label="To" name="to" />
      </div>
    </div>
  )
}

/** Users and keys of the account; a deleted one is listed by id while it is chosen. */
function useActors(chosen: string): { value: string; label: string }[] {
  const users = useUsers({}).data ?? []
  const keys = useApiKeys().data ?? []
  const options = [
    ...users.map(({ id, name }) => ({ value: id, label: name })),
    ...keys.map(({ id, name }) => ({ value: id, label: `${name} (key)` })),
  ]
  const isListed = chosen === '' || options.some(({ value }) => value === chosen)
  return isListed ? options : [...options, { value: chosen, label: chosen }]
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
