import Type from 'typebox'
import { runStatuses } from '../engine/run/run.ts'
import { Name, Nullable, NullableText, NullableTimestamp, StringEnum, Text } from '../wire-types.ts'

/** API fields that schedules and hooks share: triggers that start runs, and what they started. */

/** Request fields. */
export const triggerInput = {
  name: Name(120, "Display name; the workflow's name by default"),
  workflow_id: Text(80, 'Workflow to run.'),
  version: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Version of the workflow; null for the live one at that time.',
    }),
  ),
}

/** Response fields. */
export const triggerFields = {
  name: Type.String({ description: 'Display name.' }),
  workflow_id: Type.String({ description: 'The workflow to run.' }),
  version: Nullable(Type.Integer({ description: 'Its version; null for the live one.' })),
}

/** Response fields about the run that something started. */
export const startedRunFields = {
  run_id: NullableText('The run; null if there is none.'),
  run_status: Nullable(
    StringEnum(runStatuses, { description: 'Status of the run; null if there is none.' }),
  ),
  run_has_warnings: Type.Boolean({
    description: 'Whether the run has warnings, such as an action that failed.',
  }),
}

/** Response fields of a firing or a received hook. */
export const startedFields = {
  why: NullableText('Why there is no run, or not yet.'),
  ...startedRunFields,
  settled_at: NullableTimestamp('When its outcome was decided, with or without a run.'),
}
