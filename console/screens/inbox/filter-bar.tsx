import { ListFilter } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { ages, type InboxFilter } from '../../data/inbox-filter.ts'
import { useUsers } from '../../data/people.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useTyped } from '../../ui/form/typed.ts'

interface Props {
  filter: InboxFilter
  /** Actions of the requests that are shown. */
  actions: readonly string[]
  /** A chosen filter is an entry of the history; typed words replace the current one. */
  change: (filter: InboxFilter, how?: { replace: boolean }) => void
}

/** Search and filters of the inbox. The filters are folded until one is used. */
export function InboxFilterBar({ filter, actions, change }: Props): ReactNode {
  const { find = '', ...others } = filter
  const set: FiltersProps['set'] = (name, value, how) => {
    const { [name]: _, ...left } = filter
    change(value === '' ? left : { ...left, [name]: value }, how)
  }
  const [isOpen, setIsOpen] = useState(Object.keys(others).length > 0)
  const field = useTyped(find, (typed) => set('find', typed, { replace: true }))
  const isShort = field.value.trim() !== '' && field.value.trim().length < 3
  return (
    <div role="search" aria-label="Requests" className="mt-3 grid gap-2">
      <div className="flex gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="Find requests"
            isLabelHidden
            type="search"
            placeholder="Find"
            longest={200}
            {...field}
            {...(isShort && { hint: 'At least 3 letters' })}
          />
        </div>
        <Button
          icon={ListFilter}
          aria-expanded={isOpen}
          onClick={() => setIsOpen((before) => !before)}
        >
          Filter
        </Button>
      </div>
      {isOpen && <Filters filter={filter} actions={actions} set={set} />}
    </div>
  )
}

interface FiltersProps extends Omit<Props, 'change'> {
  set: (name: keyof InboxFilter, value: string, how?: { replace: boolean }) => void
}

function Filters({ filter, actions, set }: FiltersProps): ReactNode {
  const { identity } = useSession()
  const { data: workflows = [] } = useWorkflows()
  const { data: people = [] } = useUsers({ enabled: identity.role === 'admin' })
  const own = identity.person === undefined ? [] : [{ value: identity.id, label: 'For me' }]
  const others = people
    .filter(({ id }) => id !== identity.id)
    .map(({ id, name }) => ({ value: id, label: `For ${name}` }))
  const named = new Set([...actions, ...(filter.action === undefined ? [] : [filter.action])])
  return (
    <div className="grid grid-cols-2 gap-2">
      <SelectField
        label="Workflow"
        isLabelHidden
        value={filter.workflow ?? ''}
        onChange={(value) => set('workflow', value)}
        options={[
          { value: '', label: 'All workflows' },
          ...workflows.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <SelectField
        label="Action"
        isLabelHidden
        value={filter.action ?? ''}
        onChange={(value) => set('action', value)}
        options={[
          { value: '', label: 'Any action' },
          { value: 'input', label: 'Questions' },
          { value: 'budget', label: 'Costs' },
          ...[...named]
            .filter((name) => name !== 'input' && name !== 'budget')
            .sort()
            .map((name) => ({ value: name, label: name })),
        ]}
      />
      <SelectField
        label="Waiting"
        isLabelHidden
        value={filter.age ?? ''}
        onChange={(value) => set('age', value)}
        options={[
          { value: '', label: 'Any age' },
          ...Object.entries(ages).map(([value, { label }]) => ({ value, label })),
        ]}
      />
      <SelectField
        label="Person"
        isLabelHidden
        value={filter.person ?? ''}
        onChange={(value) => set('person', value)}
        options={[{ value: '', label: 'For anybody' }, ...own, ...others]}
      />
    </div>
  )
}
