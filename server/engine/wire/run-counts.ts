import Type, { type Static } from 'typebox'
import { runsQuery } from './runs-query.ts'

/** Runs are counted up to this number, so that a count never reads more. */
export const countLimit = 1_000

const count = (description: string) =>
  Type.Object(
    {
      count: Type.Integer({
        minimum: 0,
        maximum: countLimit,
        description: `How many there are, up to ${countLimit}.`,
      }),
      more: Type.Boolean({ description: `Whether there are more than ${countLimit}.` }),
    },
    { description },
  )

export const RunCounts = Type.Object(
  {
    queued: count('Queued runs.'),
    running: count('Running runs.'),
    waiting_input: count('Runs that wait for a person.'),
    completed: count('Completed runs, with or without warnings.'),
    with_warnings: count('Of the completed runs, those with warnings.'),
    failed: count('Failed runs, without cancelled ones.'),
    cancelled: count('Cancelled runs.'),
  },
  { $id: 'RunCounts', description: 'How many runs are in each status.' },
)
export type RunCounts = Static<typeof RunCounts>

const { status: _, error_code: __, has_warnings: ___, ...countsQuery } = runsQuery
export { countsQuery }
