import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { NotebookText } from 'lucide-react'
import { useDeferredValue, useState, type ReactNode } from 'react'
import type { MemoryEntry, UpdateMemory } from '../../sdk/generated.ts'
import type { Page as ListPage } from '../../sdk/page.ts'
import type { RequestOptions } from '../../sdk/transport.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Failure } from '../ui/failure.tsx'
import { Section } from '../ui/page.tsx'
import { Empty, Loading } from '../ui/states.tsx'
import { AddNote } from './add-note.tsx'
import { Note } from './note.tsx'

/** Whose memory it is. */
export type Owner =
  | { kind: 'agent'; id: string }
  | { kind: 'workflow'; id: string; roles: readonly string[] }

/** The SDK's verbs of memory, the same for agents and workflows. */
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

/** What an agent remembers: search, add, pin, edit, forget. */
export function MemorySection({ owner, notes }: { owner: Owner; notes: Notes }): ReactNode {
  const { rights } = useSession()
  const queries = useQueryClient()
  const [words, setWords] = useState('')
  const q = useDeferredValue(words.trim())
  const queryKey = ['memory', owner.id]
  const query = useInfiniteQuery({
    queryKey: [...queryKey, q],
    queryFn: async ({ pageParam, signal }) =>
      (await pageParam?.next()) ??
      notes.list(owner.id, q === '' ? { limit: pageSize } : { q }, { signal }),
    initialPageParam: undefined as ListPage<MemoryEntry> | undefined,
    getNextPageParam: (last) => (last.hasNext ? last : undefined),
    // A page knows the way to the next one, which a copy would not.
    structuralSharing: false,
    placeholderData: (before) => before,
  })
  const refresh = () => queries.invalidateQueries({ queryKey })
  const entries = query.data?.pages.flatMap((page) => [...page]) ?? []
  const canWrite = rights.write
  return (
    <Section title="Memory">
      <div className="panel">
        <div className="grid gap-3 border-b p-4">
          {canWrite && <AddNote owner={owner} onAdded={refresh} />}
          <TextField
            label="Search the notes"
            isLabelHidden
            type="search"
            placeholder="Search the notes"
            value={words}
            onChange={setWords}
          />
        </div>
        {query.error !== null && (
          <div className="p-4">
            <Failure error={query.error} retry={() => void query.refetch()} />
          </div>
        )}
        {query.isPending ? (
          <Loading lines={3} />
        ) : entries.length === 0 ? (
          <Empty
            icon={NotebookText}
            title={q === '' ? 'Nothing is remembered yet' : 'No note has these words'}
          >
            {q === '' && (
              <p>Agents write notes while they work. Pinned ones are always shown to them.</p>
            )}
          </Empty>
        ) : (
          <ul aria-label="Notes" className="divide-y">
            {entries.map((entry) => (
              <li key={entry.id}>
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
              </li>
            ))}
          </ul>
        )}
        {query.hasNextPage && (
          <div className="border-t p-3 text-center">
            <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
    </Section>
  )
}
