import Type, { type Static } from 'typebox'
import { Nullable, NullableObject, StrictObject, StringEnum } from '../../wire-types.ts'
import { callStatuses } from '../run/ledger.ts'
import { TagsToSet } from './tags.ts'

const fromStep = Type.Integer({
  minimum: 0,
  maximum: 9,
  description: 'The first step that is executed, from 0; those before it are taken over.',
})

export const ForkRun = StrictObject(
  {
    from_step: fromStep,
    input: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_000,
        description: 'In place of the input of the run.',
      }),
    ),
    data: Type.Optional(
      NullableObject('In place of the data of the run, up to 64 KB of JSON; null for none.'),
    ),
    outputs: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 9,
        additionalProperties: {
          type: 'string',
          minLength: 1,
          maxLength: 100_000,
          description: 'An output.',
        },
        description:
          'Outputs of steps before `from_step`, by their order, such as `{"0": "…"}`, in place of those of the run.',
      }),
    ),
    definition: Type.Optional(
      StringEnum(['frozen', 'current'] as const, {
        description:
          'What the fork executes: what the run itself did, or the workflow as it is now.',
        default: 'frozen',
      }),
    ),
    tags: Type.Optional(TagsToSet),
  },
  {
    $id: 'ForkRun',
    examples: [{ from_step: 0 }],
    description: 'A run to start from the steps of another.',
  },
)
export type ForkRun = Static<typeof ForkRun>

export const ForkPreview = Type.Object(
  {
    reused_steps: Type.Integer({ description: 'Steps that are taken over, at no cost.' }),
    executed_steps: Type.Array(Type.String({ description: 'A role.' }), {
      description: 'Roles of the steps that are executed, in order.',
    }),
    workflow_version: Nullable(
      Type.Integer({ description: 'Version that is executed; null where that is not known.' }),
    ),
    actions: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Tool call id, in the run that made it.' }),
          step_order: Type.Integer({ description: 'Its step, from 0.' }),
          role: Type.String({ description: 'Role of the step.' }),
          tool: Type.String({ description: 'The action.' }),
          input: Type.Unsafe<unknown>({ description: 'Its arguments.' }),
          status: StringEnum(callStatuses, { description: 'What became of it.' }),
          outcome: StringEnum(['asks_again', 'done_again', 'refused'] as const, {
            description: 'What becomes of it if an agent of the fork asks for it again.',
          }),
        },
        { description: 'An action.' },
      ),
      {
        description:
          'Actions on other systems that the run has made, or may have made, in the steps that the fork executes ' +
          'again: its agents may ask for them once more. Up to 100.',
      },
    ),
  },
  { $id: 'ForkPreview', description: 'What a fork would do.' },
)
export type ForkPreview = Static<typeof ForkPreview>
