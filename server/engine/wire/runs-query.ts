import Type, { type Static, type TObject } from 'typebox'
import { TimeFilter } from '../../wire-types.ts'
import { runErrorCodes, runStatuses } from '../run/run.ts'
import { tagsToFind } from './tags.ts'

const words = (known: readonly string[], description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `${description}: ${known.join(', ')}, with commas between.`,
    }),
  )

/**
 * Statuses to filter lists by. A cancelled run has the status `failed`, and is found by `cancelled`
 * as well.
 */
export const listedStatuses = [...runStatuses, 'cancelled'] as const
export type ListedStatus = (typeof listedStatuses)[number]

/** Filters of the list of all runs. */
export const runsQuery = {
  status: words(
    listedStatuses,
    'Only runs in one of these statuses, where cancelled runs are among the failed ones, and `cancelled` ' +
      'finds them alone',
  ),
  error_code: words(runErrorCodes, 'Only runs that failed with one of these codes'),
  workflow_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only runs of this workflow.' }),
  ),
  agent_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only runs in which this agent has begun a step.',
    }),
  ),
  retry_of: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only retries of this run.' }),
  ),
  forked_from: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only forks of this run.' }),
  ),
  tag: Type.Optional(tagsToFind),
  min_cost_usd: Type.Optional(
    Type.Number({ minimum: 0, description: 'Only runs that cost at least this, in US dollars.' }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 200,
      description:
        'The start of a run id, or words of the input, the output, the error and the values of ' +
        'tags: whole words in any case, of which a run has all. Up to 5 words count. Words of the ' +
        'input and the output are found within 5 seconds of the end of the run; of each text the ' +
        'first 300 different words within 16,000 characters.',
    }),
  ),
  created_after: TimeFilter('only later runs'),
  created_before: TimeFilter('only earlier runs'),
}
export type RunsQuery = Static<TObject<typeof runsQuery>>
