import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Muster } from '../../../sdk/client.ts'
import type { MemoryEntry, Step } from '../../../sdk/generated.ts'
import { isNotFound } from '../../ui/form/fault.ts'
import { useSession } from '../../session/session.tsx'
import { plural } from '../../ui/text/format.ts'
import { Loaded } from '../../ui/states.tsx'
import { Text } from '../../ui/text/text.tsx'

const mostNotes = 30

/** The memory entries of a step in their current form, and how many were deleted since. */
export function ShownNotes({ workflowId, step }: { workflowId: string; step: Step }): ReactNode {
  const { muster } = useSession()
  const shown = step.memory.slice(0, mostNotes)
  const query = useQuery({
    queryKey: ['step-memory', step.id, shown],
    queryFn: async ({ signal }) => {
      const notes = await Promise.all(
        shown.map((id) => findNote(muster, { workflowId, step, id }, signal)),
      )
      return notes.filter((note) => note !== undefined)
    },
    staleTime: 60_000,
  })
  return (
    <Loaded query={query} lines={2}>
      {(notes) => (
        <ul className="grid list-disc gap-2 pl-4">
          {notes.map(({ id, content }) => (
            <li key={id}>
              <Text text={content} />
            </li>
          ))}
          {notes.length < shown.length && (
            <li className="text-ink-faint">
              {plural(shown.length - notes.length, 'note')} forgotten since
            </li>
          )}
        </ul>
      )}
    </Loaded>
  )
}

async function findNote(
  muster: Muster,
  { workflowId, step, id }: { workflowId: string; step: Step; id: string },
  signal: AbortSignal,
): Promise<MemoryEntry | undefined> {
  try {
    return step.agent_id === null
      ? await muster.workflows.memory.retrieve(workflowId, id, { signal })
      : await muster.agents.memory.retrieve(step.agent_id, id, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
