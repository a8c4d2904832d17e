import Type, { type Static, type TObject } from 'typebox'
import { StringEnum, TimeFilter } from '../../wire-types.ts'
import { runErrorCodes, runStatuses } from '../run/run.ts'
import { tagsToFind } from './tags.ts'

const words = (known: readonly string[], description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `${description}: ${known.join(', ')}, separated by commas.`,
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
    'Only runs in one of these statuses; `failed` includes cancelled runs, and `cancelled` finds only those',
  ),
  error_code: words(runErrorCodes, 'Only runs that failed with one of these codes'),
  workflow_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only runs of this workflow.' }),
  ),
  agent_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only runs in which this agent has started a step.',
    }),
  ),
  retry_of: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only retries of this run.' }),
  ),
  forked_from: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only forks of this run.' }),
  ),
  thread_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only turns of this thread.' }),
  ),
  tag: Type.Optional(tagsToFind),
  has_warnings: Type.Optional(
    Type.Boolean({
      description:
        'If true, only runs with warnings, such as an action that failed; false is the same as leaving it out.',
    }),
  ),
  min_cost_usd: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Only runs that cost at least this, in US dollars.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 200,
      description:
        'The start of a run id, or up to 5 whole words, ignoring case, that must all occur in the input, the ' +
        "output, the error or tag values. Inputs and outputs are searchable within 5 seconds of a run's end: the " +
        'first 300 different words in 16,000 characters of each.',
    }),
  ),
  created_after: TimeFilter('only later runs'),
  created_before: TimeFilter('only earlier runs'),
}
export type RunsQuery = Static<TObject<typeof runsQuery>>

/** The same filters in a body, with arrays for lists. */
export const runsFilter = {
  ...runsQuery,
  status: Type.Optional(
    Type.Array(StringEnum(listedStatuses, { description: 'A status.' }), {
      minItems: 1,
      maxItems: 20,
      description: 'Only runs in one of these statuses.',
    }),
  ),
  error_code: Type.Optional(
    Type.Array(StringEnum(runErrorCodes, { description: 'A code.' }), {
      minItems: 1,
      maxItems: 100,
      description: 'Only runs that failed with one of these codes.',
    }),
  ),
}
