import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { Run, Workflow } from '../../sdk/generated.ts'
import { hasEnded } from './status.ts'

const mostWorkflows = 10

/** The newest runs of the workflows that were changed last. */
export const recentRunsQuery = (muster: Muster, workflows: Workflow[]) =>
  queryOptions({
    queryKey: ['runs', 'recent', workflows.map(({ id }) => id)],
    queryFn: async ({ signal }): Promise<Run[]> => {
      const lists = await Promise.all(
        workflows
          .slice(0, mostWorkflows)
          .map(({ id }) => muster.runs.list(id, { limit: 50 }, { signal })),
      )
      return lists
        .flatMap((list) => [...list])
        .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
    },
    refetchInterval: ({ state }) => (state.data?.some((run) => !hasEnded(run)) ? 2_000 : 8_000),
  })
