import { NotebookText } from 'lucide-react'
import { useDeferredValue, useState, type ReactNode } from 'react'
import type { MemoryEntry, UpdateMemory } from '../../../sdk/generated.ts'
import type { Page as ListPage } from '../../../sdk/page.ts'
import type { RequestOptions } from '../../../sdk/transport.ts'
import { usePages, useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { List } from '../../ui/list.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { AddNote } from './add-note.tsx'
import { Note } from './note.tsx'

/** The owner of the memory. */
export type Owner =
  | { kind: 'agent'; id: string }
  | { kind: 'workflow'; id: string; roles: readonly string[] }

/** The SDK's memory methods, the same for agents and workflows. */
export interface Notes {
  list: (
    ownerId: string,
    query: { q?: string; limit?: number },
    options: RequestOptions,
  ) => Promise<ListPage<MemoryEntry>>
  update: (ownerId: string, id: string, body: UpdateMemory) => Promise<MemoryEntry>
  delete: (ownerId: string, id: string) => Promise<unknown>
}

const pageSize = 50

/** Memory of an agent or workflow: search, add, pin, edit, delete. */
export function MemorySection({ owner, notes }: { owner: Owner; notes: Notes }): ReactNode {
  const { rights } = useSession()
  const [words, setWords] = useState('')
  const q = useDeferredValue(words.trim())
  const query = usePages(['memory', owner.id, q], (_, options) =>
    notes.list(owner.id, q === '' ? { limit: pageSize } : { q }, options),
  )
  const refresh = useRefresh(['memory', owner.id])
  const canWrite = rights.write
  return (
    <Section title="Memory">
      <List
        label="Notes"
        query={query}
        lines={3}
        head={
          <div className="grid gap-3 border-b p-4">
            {canWrite && <AddNote owner={owner} onAdded={refresh} />}
            <TextField
              label="Search memory"
              isLabelHidden
              type="search"
              placeholder="Search memory"
              value={words}
              onChange={setWords}
            />
          </div>
        }
        empty={
          <Empty
            help="memory"
            icon={NotebookText}
            title={q === '' ? 'Nothing is remembered yet' : 'No matching entries'}
          >
            {q === '' && (
              <p>Agents write notes while they work. Pinned ones are always shown to them.</p>
            )}
          </Empty>
        }
      >
        {(entry) => (
          <Note
            entry={entry}
            canWrite={canWrite}
            update={async (body) => {
              await notes.update(owner.id, entry.id, body)
              await refresh()
            }}
            forget={async () => {
              await notes.delete(owner.id, entry.id)
              await refresh()
            }}
          />
        )}
      </List>
    </Section>
  )
}
