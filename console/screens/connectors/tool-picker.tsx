import { useState, type ReactNode } from 'react'
import type { Connector } from '../../../sdk/generated.ts'
import { CheckField, TextField } from '../../ui/form/field.tsx'
import { plural } from '../../ui/text/format.ts'

interface ServerTool {
  name: string
  description: string
}

/** All tools of a connected server, picked or not. */
export function toolsOf({ id, actions, other_tools: others = [] }: Connector): ServerTool[] {
  const picked = actions.map((action) => ({
    name: action.id.slice(id.length + 1),
    description: action.unavailable ?? action.description,
  }))
  return [...picked, ...others].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** Limit of tools of one server that agents can be offered. */
const maxPicked = 100

interface Props {
  tools: ServerTool[]
  picked: ReadonlySet<string>
  change: (picked: ReadonlySet<string>) => void
}

/** Picks which tools of a server agents may be offered. */
export function ToolPicker({ tools, picked, change }: Props): ReactNode {
  const [search, setSearch] = useState('')
  const words = search.trim().toLowerCase()
  const shown = tools.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(words),
  )
  const toggle = (name: string, isPicked: boolean): void => {
    const next = new Set(picked)
    if (isPicked) next.add(name)
    else next.delete(name)
    change(next)
  }
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium text-ink-soft">Tools</legend>
      <p
        role="status"
        className={`text-xs ${picked.size > maxPicked ? 'text-bad' : 'text-ink-faint'}`}
      >
        {picked.size} of {plural(tools.length, 'tool')} selected, up to {maxPicked}.
      </p>
      {tools.length > 10 && (
        <TextField
          label="Search tools"
          isLabelHidden
          placeholder="Search"
          value={search}
          onChange={setSearch}
        />
      )}
      <ul
        className="grid max-h-64 gap-2 overflow-y-auto rounded-md border p-3"
        tabIndex={0}
        aria-label="Tools"
      >
        {shown.map(({ name, description }) => (
          <li key={name}>
            <CheckField
              label={<span className="font-mono text-sm wrap-anywhere">{name}</span>}
              hint={description.slice(0, 120)}
              checked={picked.has(name)}
              onChange={(isPicked) => toggle(name, isPicked)}
            />
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
