import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { MemoryEntry, Step } from '../../sdk/generated.ts'
import { isNotFound } from '../session/client.ts'

/** The notes that a step was shown, as they are now; those forgotten since are left out. */
export const stepMemoryQuery = (muster: Muster, workflowId: string, step: Step) =>
  queryOptions({
    queryKey: ['step-memory', step.id, step.memory],
    queryFn: async ({ signal }): Promise<MemoryEntry[]> => {
      const found = await Promise.all(
        step.memory.slice(0, mostNotes).map((id) =>
          (step.agent_id === null
            ? muster.workflows.memory.retrieve(workflowId, id, { signal })
            : muster.agents.memory.retrieve(step.agent_id, id, { signal })
          ).catch((error: unknown) => {
            if (isNotFound(error)) return undefined
            throw error
          }),
        ),
      )
      return found.filter((note) => note !== undefined)
    },
    staleTime: 60_000,
  })

const mostNotes = 30
