import Type, { type Static } from 'typebox'
import { Nullable, NullableObject, StrictObject, StringEnum } from '../../wire-types.ts'
import { callStatuses } from '../run/ledger.ts'
import { TagsToSet } from './tags.ts'

const fromStep = Type.Integer({
  minimum: 0,
  maximum: 9,
  description: 'The first step to execute, from 0; earlier steps are copied.',
})

export const ForkRun = StrictObject(
  {
    from_step: fromStep,
    input: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_000,
        description: "Replaces the run's input.",
      }),
    ),
    data: Type.Optional(
      NullableObject("Replaces the run's data, up to 64 KB of JSON; null for none."),
    ),
    outputs: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 9,
        propertyNames: { type: 'string', maxLength: 20, description: 'The order of a step.' },
        additionalProperties: {
          type: 'string',
          minLength: 1,
          maxLength: 100_000,
          description: 'An output.',
        },
        description:
          'Outputs of steps before `from_step`, by their order, such as `{"0": "…"}`, which replace the run\'s.',
      }),
    ),
    definition: Type.Optional(
      StringEnum(['frozen', 'current'] as const, {
        description:
          "What the fork executes: the run's own definition, or the workflow's live version.",
        default: 'frozen',
      }),
    ),
    tags: Type.Optional(TagsToSet),
  },
  {
    $id: 'ForkRun',
    examples: [{ from_step: 0 }],
    description: 'The fork to start.',
  },
)
export type ForkRun = Static<typeof ForkRun>

export const ForkPreview = Type.Object(
  {
    reused_steps: Type.Integer({ description: 'Steps that are copied, at no cost.' }),
    executed_steps: Type.Array(Type.String({ description: 'A role.' }), {
      description: 'Roles of the steps to execute, in order.',
    }),
    workflow_version: Nullable(
      Type.Integer({ description: 'Version to execute; null if unknown.' }),
    ),
    actions: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Tool call id, in the run that made it.' }),
          step_order: Type.Integer({ description: 'Its step, from 0.' }),
          role: Type.String({ description: 'Role of the step.' }),
          tool: Type.String({ description: 'The action.' }),
          input: Type.Unsafe<unknown>({ description: 'Its arguments.' }),
          status: StringEnum(callStatuses, { description: 'Its outcome.' }),
          outcome: StringEnum(['asks_again', 'done_again', 'refused'] as const, {
            description: 'What happens if an agent of the fork requests it again.',
          }),
        },
        { description: 'An action.' },
      ),
      {
        description:
          'Actions on other systems that the run performed, or may have performed, in the steps that the fork ' +
          'executes again: its agents may request them again. Up to 100.',
      },
    ),
  },
  { $id: 'ForkPreview', description: 'A preview of a fork.' },
)
export type ForkPreview = Static<typeof ForkPreview>
