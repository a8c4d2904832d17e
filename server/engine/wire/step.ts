import Type, { type Static, type TUnsafe } from 'typebox'
import {
  Nullable,
  NullableObject,
  NullableText,
  NullableTimestamp,
  Ref,
  StringEnum,
} from '../../wire-types.ts'
import { finishReasons } from '../run/step.ts'
import { callDecisions, callStatuses } from '../run/ledger.ts'
import { ruleDecisions, ruleLevels } from '../run/definition.ts'

/** Schemas of steps, their tool calls, and what models were sent and answered. */
/** Usage of a step or a run. */
export const usage = {
  tokens_in: Type.Integer({ description: 'Input tokens, as counted by the provider.' }),
  tokens_out: Type.Integer({ description: 'Output tokens, as counted by the provider.' }),
  cost_usd: Type.Number({ description: "Cost in US dollars, at the catalog's prices." }),
  tokens_cached: Type.Integer({
    description: "Part of `tokens_in`: read from the provider's cache.",
  }),
  tokens_cache_written: Type.Integer({
    description: "Part of `tokens_in`: written to the provider's cache.",
  }),
  tokens_reasoning: Type.Integer({
    description:
      'Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it.',
  }),
  calls_without_usage: Type.Integer({
    description: 'Model calls that may have cost something, but whose counts never arrived.',
  }),
  calls_without_price: Type.Integer({
    description: 'Model calls with a model whose price is unknown; `cost_usd` counts them as 0.',
  }),
}

const authorObject = Type.Object({
  type: StringEnum(['key', 'user', 'system'] as const, {
    description: '`system` is the service itself, for the schedule, hook or batch in `id`.',
  }),
  id: Type.String({ description: 'Their id.' }),
  name: Type.String({ description: 'Their name at that time.' }),
})

export type Author = Static<typeof authorObject>

export function author(description: string): typeof authorObject {
  return Type.Object(authorObject.properties, { description })
}

export function NullableAuthor(description: string): TUnsafe<Static<typeof authorObject> | null> {
  return Nullable(Type.Object(authorObject.properties, { description }))
}

export const Approval = Type.Object(
  {
    id: Type.String({ description: 'User id.' }),
    name: Type.String({ description: 'Their name at that time.' }),
    reason: NullableText('Their reason, if given.'),
    at: Type.String({ format: 'date-time', description: 'When they approved.' }),
  },
  { $id: 'Approval', description: "A person's approval of an action that needs several." },
)
export type Approval = Static<typeof Approval>

export const DecidingRule = Type.Object(
  {
    level: StringEnum(ruleLevels, { description: "The rule's level." }),
    position: Type.Integer({ description: 'Its position in the list at that time, from 0.' }),
    action: Type.String({ description: "The rule's action." }),
    decision: StringEnum(ruleDecisions, { description: "The rule's decision." }),
    reason: NullableText("The rule's reason, or the error of its condition."),
  },
  { $id: 'DecidingRule', description: 'The rule that decided about a call.' },
)
export type DecidingRule = Static<typeof DecidingRule>

export const ToolCall = Type.Object(
  {
    id: Type.String({ description: 'Tool call id.' }),
    tool: Type.String({ description: 'The action, such as `email.send`, or a built-in tool.' }),
    tool_version: NullableText(
      'What an approval is bound to besides the arguments: it changes with the action and its ' +
        'connection; null for tools of Muster itself.',
    ),
    input: Type.Unsafe<unknown>({
      description: 'The exact arguments; null if the model wrote no JSON object.',
    }),
    proposed_input: Type.Unsafe<unknown>({
      description: "The model's arguments, if a person edited them; null otherwise.",
    }),
    status: StringEnum(callStatuses, {
      description:
        '`unknown`: it may or may not have been done, and is not repeated without approval.',
    }),
    output: NullableText(
      "The result given to the agent; null while open. Here its first 2,000 characters; the step's turns have " +
        'all of it.',
    ),
    output_bytes: Nullable(Type.Integer({ description: 'Size of the whole output, as UTF-8.' })),
    unknown_reason: NullableText(
      "Why its outcome is unknown, with the other system's message if any; null otherwise.",
    ),
    decision: Nullable(
      StringEnum(callDecisions, {
        description:
          'How it was decided: by a person (`approved`, `edited`, `rejected`, `answered`), by a timeout (`expired`) ' +
          'or by policy (`refused`); null if no one was asked.',
      }),
    ),
    rule: Type.Unsafe<DecidingRule | null>({
      anyOf: [Ref(DecidingRule), { type: 'null' }],
      description: 'The rule that decided whether a person is asked; null if none did.',
    }),
    decided_by: NullableText('API key or user that decided; null if no one did.'),
    decider: NullableAuthor('Who decided; null if no one did.'),
    reason: NullableText('The reason for the decision, if given.'),
    approvals: Type.Array(Ref(Approval), {
      description: 'Who approved it, if several approvals were needed; empty otherwise.',
    }),
    decided_at: NullableTimestamp('When it was decided.'),
    started_at: NullableTimestamp('When the call was made; null if it was not.'),
    finished_at: NullableTimestamp('When its outcome was known.'),
  },
  { $id: 'ToolCall', description: 'A tool call of an agent, with its outcome.' },
)
export type ToolCall = Static<typeof ToolCall>

export const Step = Type.Object(
  {
    id: Type.String({ description: 'Step id.' }),
    order: Type.Integer({ description: 'Position in the crew, from 0.' }),
    role: Type.String({ description: 'Role of the agent.' }),
    agent_id: NullableText('The linked standing agent; null for a plain entry.'),
    agent_version: Nullable(
      Type.Integer({
        description:
          'Version of the standing agent that was live when the run began; null for a plain entry, and for steps ' +
          'older than versions.',
      }),
    ),
    model: Type.String({ description: 'The model used.' }),
    input: Type.String({
      description: "Prompt of the agent: the run's input, then earlier outputs.",
    }),
    output: NullableText("The agent's output; null if unfinished or failed."),
    output_json: NullableObject(
      'The output as an object, if the agent has an `output_schema`; null otherwise.',
    ),
    error: NullableText('Why the step failed; null otherwise.'),
    finish_reason: Nullable(
      StringEnum(finishReasons, {
        description:
          'Why the model stopped: `length` means that it reached a limit of output tokens and the output is ' +
          'incomplete. Null unless finished.',
      }),
    ),
    ...usage,
    tool_calls: Type.Array(Ref(ToolCall), { description: 'In the order of the calls.' }),
    memory: Type.Array(Type.String(), {
      description: 'Ids of the memory entries shown to the agent.',
    }),
    reused_from: NullableText(
      'Run from which a retry or fork copied this finished step; it cost nothing here.',
    ),
    output_given: Type.Boolean({
      description: "Whether the output was given with the fork and replaces the agent's.",
    }),
    started_at: NullableTimestamp('When the step began.'),
    finished_at: NullableTimestamp('When the step ended; null while in progress.'),
  },
  { $id: 'Step', description: 'The work of one agent in a run.' },
)
export type Step = Static<typeof Step>

export const Turn = Type.Object(
  {
    number: Type.Integer({ description: 'Number within the step, from 0.' }),
    model: Type.String({ description: 'Model that answered.' }),
    messages: Type.Array(
      Type.Object(
        {
          role: StringEnum(['system', 'user'] as const, {
            description: 'The author of the message.',
          }),
          text: Type.String({ description: 'The text.' }),
        },
        { description: 'A message.' },
      ),
      {
        description:
          'The first messages to the model: its instructions with the memory, and the prompt. Later turns also send ' +
          'all earlier turns with the results of their calls; their list is empty.',
      },
    ),
    tools: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name shown to the model.' }),
          description: Type.String({ description: 'Its description.' }),
          input_schema: Type.Unsafe<object>({
            type: 'object',
            additionalProperties: true,
            description: 'JSON Schema of its arguments.',
          }),
        },
        { description: 'A tool.' },
      ),
      { description: 'Tools offered to the model.' },
    ),
    output_schema: NullableObject(
      'JSON Schema for its answer, enforced by the provider or given after its instructions. Null for none.',
    ),
    text: NullableText("The model's text; null if retention deleted it."),
    problem: NullableText(
      'The problem with the answer, as sent to the model for its next turn; null otherwise.',
    ),
    reasoning: NullableText("The model's reasoning, as far as it returned any; null for none."),
    calls: Type.Array(Ref(ToolCall), {
      description: 'Its tool calls, with their full results as sent to the next turn.',
    }),
    ...usage,
    duration_ms: Nullable(
      Type.Integer({ description: 'Duration of the model call that answered.' }),
    ),
    request_id: NullableText("The provider's request id, if any."),
  },
  { $id: 'Turn', description: 'One turn of a model: its messages and its answer.' },
)
export type Turn = Static<typeof Turn>
