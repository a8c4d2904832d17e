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
  tokens_in: Type.Integer({ description: "Input tokens, by the provider's count." }),
  tokens_out: Type.Integer({ description: "Output tokens, by the provider's count." }),
  cost_usd: Type.Number({ description: 'Cost in US dollars, by the prices of the catalog.' }),
  tokens_cached: Type.Integer({
    description: "Part of `tokens_in`: read from the provider's cache.",
  }),
  tokens_cache_written: Type.Integer({
    description: "Part of `tokens_in`: written to the provider's cache.",
  }),
  tokens_reasoning: Type.Integer({
    description: 'Part of `tokens_out`: spent on reasoning. 0 also where a provider does not say.',
  }),
  calls_without_usage: Type.Integer({
    description: 'Model calls that may have cost something, but whose counts never arrived.',
  }),
}

const authorObject = Type.Object({
  type: StringEnum(['key', 'user', 'system'] as const, {
    description:
      '`system` is the service itself, for a schedule, a hook or a batch that `id` names.',
  }),
  id: Type.String({ description: 'Their id.' }),
  name: Type.String({ description: 'Their name at that time.' }),
})

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
    reason: NullableText('Why, where they said so.'),
    at: Type.String({ format: 'date-time', description: 'When they approved.' }),
  },
  { $id: 'Approval', description: "A person's approval of an action that needs several." },
)
export type Approval = Static<typeof Approval>

export const DecidingRule = Type.Object(
  {
    level: StringEnum(ruleLevels, { description: 'Where the rule stands.' }),
    position: Type.Integer({ description: 'Its place in the list of then, from 0.' }),
    action: Type.String({ description: 'The action that it names.' }),
    decision: StringEnum(ruleDecisions, { description: 'What it decided.' }),
    reason: NullableText('Why, as the rule says it, or how its condition failed.'),
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
      description: 'The exact arguments; null when the model wrote no JSON object.',
    }),
    proposed_input: Type.Unsafe<unknown>({
      description: 'What the model wrote, when a person edited it; null otherwise.',
    }),
    status: StringEnum(callStatuses, {
      description:
        '`unknown`: it may or may not have been done, and is not repeated without a person.',
    }),
    output: NullableText(
      'What the agent was told; null while open. With the run, its first 2,000 characters; whole in ' +
        'the turns of the step.',
    ),
    output_bytes: Nullable(Type.Integer({ description: 'Size of the whole output, as UTF-8.' })),
    unknown_reason: NullableText(
      'Why its outcome is unknown, in the words of the other side where it said any; null otherwise.',
    ),
    decision: Nullable(
      StringEnum(callDecisions, {
        description:
          'How it was decided: by a person (`approved`, `edited`, `rejected`, `answered`), by the ' +
          'end of the wait (`expired`) or by policy (`refused`); null where nobody was asked.',
      }),
    ),
    rule: Type.Unsafe<DecidingRule | null>({
      anyOf: [Ref(DecidingRule), { type: 'null' }],
      description: 'The rule that decided whether a person is asked; null where none did.',
    }),
    decided_by: NullableText('API key or user that decided; null where no person did.'),
    decider: NullableAuthor('Who decided; null where no person did.'),
    reason: NullableText('Why, where whoever decided said so.'),
    approvals: Type.Array(Ref(Approval), {
      description: 'Who approved it, where one approval was not enough; empty otherwise.',
    }),
    decided_at: NullableTimestamp('When it was decided.'),
    started_at: NullableTimestamp('When the call went out; null if it never did.'),
    finished_at: NullableTimestamp('When its outcome was known.'),
  },
  { $id: 'ToolCall', description: 'What an agent wanted to do and what became of it.' },
)
export type ToolCall = Static<typeof ToolCall>

export const Step = Type.Object(
  {
    id: Type.String({ description: 'Step id.' }),
    order: Type.Integer({ description: 'Position in the crew, from 0.' }),
    role: Type.String({ description: 'Role of the agent.' }),
    agent_id: NullableText('Standing agent that was linked; null for a plain entry.'),
    agent_version: Nullable(
      Type.Integer({
        description:
          'Version of the standing agent that was live when the run began; null for a plain entry, and for steps ' +
          'from before there were versions.',
      }),
    ),
    model: Type.String({ description: 'Model that was used.' }),
    input: Type.String({ description: 'Prompt of the agent: the run input, then prior outputs.' }),
    output: NullableText('What the agent wrote; null if unfinished or failed.'),
    output_json: NullableObject(
      'The output as an object, where the agent has an `output_schema`; null otherwise.',
    ),
    error: NullableText('Why the step failed; null otherwise.'),
    finish_reason: Nullable(
      StringEnum(finishReasons, {
        description:
          'Why the model stopped: `length` is a limit of output tokens, which leaves the output ' +
          'incomplete. Null unless finished.',
      }),
    ),
    ...usage,
    tool_calls: Type.Array(Ref(ToolCall), { description: 'In the order of the calls.' }),
    memory: Type.Array(Type.String(), {
      description: 'Ids of the memory entries that the agent was shown.',
    }),
    reused_from: NullableText(
      'Run whose finished step was taken over by a retry or a fork; it cost nothing here.',
    ),
    output_given: Type.Boolean({
      description: 'The output was given with the fork, in place of what the agent wrote.',
    }),
    started_at: NullableTimestamp('When the step began.'),
    finished_at: NullableTimestamp('When the step ended; null while in progress.'),
  },
  { $id: 'Step', description: 'One agent at work.' },
)
export type Step = Static<typeof Step>

export const Turn = Type.Object(
  {
    number: Type.Integer({ description: 'Number within the step, from 0.' }),
    model: Type.String({ description: 'Model that answered.' }),
    messages: Type.Array(
      Type.Object(
        {
          role: StringEnum(['system', 'user'] as const, { description: 'Whose words they are.' }),
          text: Type.String({ description: 'The text.' }),
        },
        { description: 'A message.' },
      ),
      {
        description:
          'What the model was sent at first: its instructions with the memory, and the prompt. Each ' +
          'later turn is sent all of the turns before as well, with the outputs of their calls; its ' +
          'list is empty.',
      },
    ),
    tools: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'As the model sees it.' }),
          description: Type.String({ description: 'What it says of itself.' }),
          input_schema: Type.Unsafe<object>({
            type: 'object',
            additionalProperties: true,
            description: 'JSON Schema of its arguments.',
          }),
        },
        { description: 'A tool.' },
      ),
      { description: 'Tools that the model was offered.' },
    ),
    output_schema: NullableObject(
      'JSON Schema that its answer had to fit: held to it by the provider, or told of it after its ' +
        'instructions. Null for none.',
    ),
    text: NullableText('What the model wrote; null where it was deleted by age.'),
    problem: NullableText(
      'What was wrong with the answer, as the model was told for its next turn; null otherwise.',
    ),
    reasoning: NullableText('What the model gave of its reasoning; null for none.'),
    calls: Type.Array(Ref(ToolCall), {
      description: 'What it asked for, with the whole output of each, as the next turn got it.',
    }),
    ...usage,
    duration_ms: Nullable(Type.Integer({ description: 'Time of the model call that answered.' })),
    request_id: NullableText("The provider's id of the request, where it gave one."),
  },
  { $id: 'Turn', description: 'One answer of a model: what it was sent and what it said.' },
)
export type Turn = Static<typeof Turn>
