import { useState, type ReactNode } from 'react'
import type { ListedOperation } from '../../../sdk/generated.ts'
import { CheckField, TextField } from '../../ui/form/field.tsx'
import { plural } from '../../ui/text/format.ts'

/** Limit of operations that agents can be offered. */
const maxPicked = 100
/** More are found by words. */
const maxShown = 200

export interface Marked {
  picked: string[]
  safe: string[]
}

interface Props {
  operations: ListedOperation[]
  marked: Marked
  change: (marked: Marked) => void
}

/** Picks the operations that agents may be offered, and marks those that only read. */
export function OperationPicker({ operations, marked, change }: Props): ReactNode {
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const found = operations.filter(({ name, path, description }) =>
    `${name} ${path} ${description}`.toLowerCase().includes(words),
  )
  const picked = new Set(marked.picked)
  const safe = new Set(marked.safe)
  const toggle = (list: string[], name: string, isIn: boolean): string[] =>
    isIn ? [...list, name] : list.filter((one) => one !== name)
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium text-ink-soft">Operations</legend>
      <p
        role="status"
        className={`text-xs ${picked.size > maxPicked ? 'text-bad' : 'text-ink-faint'}`}
      >
        {picked.size} of {plural(operations.length, 'operation')} selected, up to {maxPicked}.
        {found.length > maxShown && ` The first ${maxShown} are shown; search for the others.`}
      </p>
      {operations.length > 10 && (
        <TextField
          label="Search operations"
          isLabelHidden
          placeholder="Search"
          value={search}
          onChange={setSearch}
        />
      )}
      <ul
        className="grid max-h-80 gap-3 overflow-y-auto rounded-md border p-3"
        tabIndex={0}
        aria-label="Operations"
      >
        {found.slice(0, maxShown).map(({ name, method, path, description, available, reason }) => (
          <li key={name} className="grid gap-1">
            <CheckField
              label={
                <span className="font-mono text-sm wrap-anywhere">
                  {name}
                  {name !== `${method} ${path}` && (
                    <span className="text-ink-faint">{` ${method} ${path}`}</span>
                  )}
                </span>
              }
              hint={available ? description.slice(0, 120) : `Cannot be offered: ${reason}`}
              checked={picked.has(name)}
              disabled={!available && !picked.has(name)}
              onChange={(isIn) => change({ ...marked, picked: toggle(marked.picked, name, isIn) })}
            />
            {picked.has(name) && method !== 'GET' && method !== 'HEAD' && (
              <div className="pl-7">
                <CheckField
                  label={`${name} only reads, so it needs no approval`}
                  checked={safe.has(name)}
                  onChange={(isIn) => change({ ...marked, safe: toggle(marked.safe, name, isIn) })}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
