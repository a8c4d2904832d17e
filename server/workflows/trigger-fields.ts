import Type from 'typebox'
import { runStatuses } from '../engine/run/run.ts'
import { Name, Nullable, NullableText, NullableTimestamp, StringEnum, Text } from '../wire-types.ts'

/** API fields that schedules and hooks share: triggers that start runs, and what they started. */

/** Request fields. */
export const triggerInput = {
  name: Name(120, 'Name for people; that of the workflow by default'),
  workflow_id: Text(80, 'Workflow to run.'),
  version: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Version of the workflow; null for the one that is live then.',
    }),
  ),
}

/** Response fields. */
export const triggerFields = {
  name: Type.String({ description: 'Name for people.' }),
  workflow_id: Type.String({ description: 'Workflow that is run.' }),
  version: Nullable(Type.Integer({ description: 'Its version; null for the live one.' })),
}

/** Response fields of a firing or a received hook. */
export const startedFields = {
  why: NullableText('Why there is no run, or not yet, in words.'),
  run_id: NullableText('The run; null where there is none.'),
  run_status: Nullable(
    StringEnum(runStatuses, { description: 'Status of the run; null where there is none.' }),
  ),
  settled_at: NullableTimestamp('When it was settled, with a run or without one.'),
}
