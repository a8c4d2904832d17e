import { ArrowDown, Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useAgents } from '../../data/agents.ts'
import { Button } from '../../ui/button.tsx'
import type { Fields } from '../../ui/form/fields.ts'
import { plural } from '../../ui/text/format.ts'
import { CrewMember } from './crew-member.tsx'
import { newEntry, type Entry, type Form } from './form.ts'

const mostEntries = 10

interface Props {
  crew: Entry[]
  change: (crew: Entry[]) => void
  fault: Fields<Form>['fault']
}

/** The crew as a chain: each agent reads the input and the outputs of those above. */
export function CrewEditor({ crew, change, fault }: Props): ReactNode {
  const { data: agents = [] } = useAgents()
  const [opened, setOpened] = useState<string>()
  const swap = (index: number, by: number) => {
    const moved = [...crew]
    const [entry] = moved.splice(index, 1)
    moved.splice(index + by, 0, entry as Entry)
    change(moved)
  }
  const [start = '', faultAt] = /^crew\[(\d+)\]\.?/.exec(fault?.param ?? '') ?? []
  const inEntry = fault && { ...fault, param: fault.param.slice(start.length) }
  return (
    <>
      <p className="mb-2.5 text-sm text-ink-faint">{plural(crew.length, 'agent')}, in this order</p>
      <ol className="grid grid-cols-1 gap-1">
        {crew.map((entry, index) => (
          <li key={entry.key}>
            <CrewMember
              entry={entry}
              index={index}
              count={crew.length}
              agent={agents.find(({ id }) => id === entry.agentId)}
              agents={agents}
              isOpen={opened === entry.key || faultAt === String(index)}
              toggle={() => setOpened(opened === entry.key ? undefined : entry.key)}
              change={(changed) => change(crew.with(index, changed))}
              remove={() => change(crew.toSpliced(index, 1))}
              move={(by) => swap(index, by)}
              fault={faultAt === String(index) ? inEntry : undefined}
            />
            {index < crew.length - 1 && (
              <ArrowDown size={16} className="mx-auto mt-1 text-ink-faint" aria-hidden="true" />
            )}
          </li>
        ))}
      </ol>
      {crew.length < mostEntries && (
        <div className="mt-3">
          <Button
            icon={Plus}
            onClick={() => {
              const entry = newEntry()
              change([...crew, entry])
              setOpened(entry.key)
            }}
          >
            Add an agent
          </Button>
        </div>
      )}
    </>
  )
}
