import Type, { type Static } from 'typebox'
import { Nullable, NullableText, Ref, StringEnum } from '../../wire-types.ts'
import { Run } from './run.ts'
import { usage } from './step.ts'

/** A part of a comparison of two texts. */
export const TextPart = Type.Object(
  {
    kind: StringEnum(['same', 'removed', 'added'] as const, {
      description: 'Whether the text is in both, or only before or after.',
    }),
    text: Type.String({ description: 'A part of the text.' }),
  },
  { description: 'A part of a text.' },
)
export type TextPart = Static<typeof TextPart>

const comparedUsage = {
  tokens_in: usage.tokens_in,
  tokens_out: usage.tokens_out,
  cost_usd: usage.cost_usd,
  calls_without_price: usage.calls_without_price,
}
const texts = (description: string) => Nullable(Type.Array(TextPart, { description }))

export const ComparedRun = Type.Object(
  {
    id: Run.properties.id,
    workflow_id: Run.properties.workflow_id,
    workflow_version: Run.properties.workflow_version,
    status: Run.properties.status,
    has_warnings: Type.Boolean({
      description: 'Whether it has warnings, such as an action that failed.',
    }),
    error: Run.properties.error,
    created_at: Run.properties.created_at,
    ...comparedUsage,
    duration_ms: Nullable(
      Type.Integer({ description: 'Run time without waits; null unless it has ended.' }),
    ),
    tool_calls: Type.Integer({ description: 'Calls of all its steps.' }),
  },
  { $id: 'ComparedRun', description: 'One of two runs.' },
)
export type ComparedRun = Static<typeof ComparedRun>

const ComparedStep = {
  role: Type.String({ description: 'Role of the agent.' }),
  model: Type.String({ description: 'The model used.' }),
  agent_version: Nullable(Type.Integer({ description: 'Version of the standing agent.' })),
  error: NullableText('Why it failed; null otherwise.'),
  reused_from: NullableText('Run from which it was copied; null if it was executed.'),
  output_given: Type.Boolean({ description: 'Whether its output was given with the fork.' }),
  ...comparedUsage,
  duration_ms: Nullable(
    Type.Integer({ description: 'Null if it was not executed or has not ended.' }),
  ),
  tools: Type.Array(Type.String({ description: 'An action.' }), {
    description: 'Its calls, in order.',
  }),
}
const comparedStep = (description: string) => Nullable(Type.Object(ComparedStep, { description }))

export const RunComparison = Type.Object(
  {
    before: Ref(ComparedRun),
    after: Ref(ComparedRun),
    input: texts('Differences of their inputs, word by word; null if they are equal.'),
    output: texts('Differences of their outputs; null if they are equal.'),
    steps: Type.Array(
      Type.Object(
        {
          order: Type.Integer({ description: 'Position of the step, from 0.' }),
          before: comparedStep('The step of the first run; null if it has none.'),
          after: comparedStep('The step of the other run; null if it has none.'),
          output: texts("Differences of the step's outputs; null if they are equal."),
        },
        { description: 'A step of both runs.' },
      ),
      { description: 'The steps of both runs, in order.' },
    ),
  },
  { $id: 'RunComparison', description: 'Two runs side by side.' },
)
export type RunComparison = Static<typeof RunComparison>
