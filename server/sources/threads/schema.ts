import Type, { type Static, type TObject } from 'typebox'
import { RunEvent } from '../../engine/wire/events.ts'
import { CreateRun } from '../../engine/wire/run.ts'
import { TagsOfRun, TagsToSet } from '../../engine/wire/tags.ts'
import {
  Nullable,
  NullableObject,
  NullableText,
  NullableTimestamp,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
  optional,
} from '../../wire-types.ts'

export const threadStatuses = ['open', 'closed'] as const
export const messageStatuses = [
  'queued',
  'running',
  'waiting_input',
  'answered',
  'failed',
  'cancelled',
  'refused',
] as const
export type MessageStatus = (typeof messageStatuses)[number]

/** Statuses in which a message stays. */
export type FinalStatus = Exclude<MessageStatus, 'queued' | 'running' | 'waiting_input'>

const authorObject = Type.Object(
  {
    type: StringEnum(['key', 'user', 'system', 'external'] as const, {
      description: '`external` is someone who is no user, such as the sender of an email.',
    }),
    id: Type.String({ description: 'Their id.' }),
    name: Type.String({ description: 'Their name at that time.' }),
  },
  { description: 'Who it comes from.' },
)

export const Thread = Type.Object(
  {
    id: Type.String({ description: 'Thread id.' }),
    workflow_id: Type.String({ description: 'The workflow that answers.' }),
    version: Nullable(
      Type.Integer({
        description: 'Version of the workflow in all turns; null for the live one of each turn.',
      }),
    ),
    key: NullableText('Your own identifier, unique among the threads of the workflow.'),
    title: NullableText('Title; by default the beginning of the first message.'),
    tags: TagsOfRun,
    status: StringEnum(threadStatuses, { description: 'A closed thread accepts no messages.' }),
    turns: Type.Integer({ description: 'Number of turns: one for each message of a person.' }),
    last_message_at: NullableTimestamp('When the newest message was written; null for none.'),
    waiting: NullableText('Id of the request that its turn in progress waits for; null for none.'),
    cost_usd: Type.Number({ description: 'Cost of its ended turns and summaries in US dollars.' }),
    tokens_in: Type.Integer({ description: 'Input tokens of these.' }),
    tokens_out: Type.Integer({ description: 'Output tokens of these.' }),
    created_by: Type.Object(authorObject.properties, { description: 'Who created it.' }),
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it, or the state of a message, last changed.'),
  },
  { $id: 'Thread', description: 'A conversation with a workflow. Each turn is a run.' },
)
export type Thread = Static<typeof Thread>

const given = {
  title: Nullable(Text(200, 'Title; null for none.')),
  tags: TagsToSet,
}

export const CreateThread = StrictObject(
  {
    workflow_id: Text(80, 'Workflow that answers; its `thread` has to be set.'),
    key: Type.Optional(
      Text(
        200,
        'Your own identifier, unique among the threads of the workflow: a repeated one gives the thread that exists.',
      ),
    ),
    version: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: 999_999_999,
          description: 'Version of the workflow for all turns; null for the live one of each turn.',
        }),
      ),
    ),
    ...optional(given),
  },
  {
    $id: 'CreateThread',
    examples: [{ workflow_id: 'wf_01ktbz3v9se0c9x1hm8q5gkxvn', key: 'customer-17', title: 'Pump' }],
    description: 'The thread to create.',
  },
)
export type CreateThread = Static<typeof CreateThread>

export const UpdateThread = StrictObject(
  optional({
    ...given,
    status: StringEnum(threadStatuses, { description: 'A closed thread accepts no messages.' }),
  }),
  {
    $id: 'UpdateThread',
    examples: [{ title: 'Pump of line 4' }],
    description: 'The fields to update.',
  },
)
export type UpdateThread = Static<typeof UpdateThread>

export const ThreadMessage = Type.Object(
  {
    id: Type.String({ description: 'Message id.' }),
    thread_id: Type.String({ description: 'Its thread.' }),
    turn: Type.Integer({ description: 'Number of its turn, from 1.' }),
    role: StringEnum(['user', 'assistant'] as const, {
      description: '`user` for what was written to the workflow, `assistant` for its answer.',
    }),
    text: Type.String({ description: 'Its text; empty if it has only data.' }),
    data: NullableObject('Its object; null for none.'),
    files: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'File id.' }),
          name: Type.String({ description: 'Its name.' }),
        },
        { description: 'A file.' },
      ),
      { description: 'Its files.' },
    ),
    run_id: NullableText('The run of its turn; null if there is none, or not yet.'),
    status: StringEnum(messageStatuses, {
      description:
        '`queued`: it waits for its turn. `running` and `waiting_input`: its run is in progress, or waits for a ' +
        'person. `answered`, `failed` and `cancelled`: how its run ended, or that it was cancelled before. ' +
        '`refused`: no run was begun.',
    }),
    why: NullableText('Why it waits, or has no answer.'),
    author: Nullable(authorObject),
    created_at: Timestamp('When it was written.'),
  },
  { $id: 'ThreadMessage', description: 'A message of a thread.' },
)
export type ThreadMessage = Static<typeof ThreadMessage>

const { input, data, files } = CreateRun.properties

export const CreateMessage = StrictObject(
  { input, data, files },
  {
    $id: 'CreateMessage',
    examples: [{ input: 'Which pump failed most often this year?' }],
    description: 'The message to send.',
  },
)
export type CreateMessage = Static<typeof CreateMessage>

export const StopThread = StrictObject(
  {
    queued: Type.Optional(
      StringEnum(['keep', 'cancel'] as const, {
        description: 'Whether messages that wait for their turn are kept, or cancelled too.',
        default: 'keep',
      }),
    ),
  },
  { $id: 'StopThread', examples: [{ queued: 'cancel' }], description: 'What to stop.' },
)
export type StopThread = Static<typeof StopThread>

export const ThreadSummary = Type.Object(
  {
    id: Type.String({ description: 'Summary id.' }),
    through_turn: Type.Integer({ description: 'The last turn that it covers, from the first.' }),
    text: Type.String({ description: 'The summary.' }),
    tokens_before: Type.Integer({ description: 'Estimated tokens of what it replaces.' }),
    tokens_after: Type.Integer({ description: 'Estimated tokens of the summary.' }),
    model: Type.String({ description: 'The model that wrote it.' }),
    cost_usd: Type.Number({ description: 'What it cost, in US dollars.' }),
    created_at: Timestamp('When it was written.'),
  },
  {
    $id: 'ThreadSummary',
    description: 'A summary of the first turns of a thread, for turns after them.',
  },
)
export type ThreadSummary = Static<typeof ThreadSummary>

/** @public */
export const MessageChanged = Type.Object(
  {
    type: Type.Literal('message.changed', { description: 'A message changed its status.' }),
    thread_turn: Type.Integer({ description: 'Its turn.' }),
    message_id: Type.String({ description: 'The message.' }),
    message: Ref(ThreadMessage),
    answer: Type.Optional(Ref(ThreadMessage)),
  },
  {
    $id: 'MessageChanged',
    description: 'A message has another status; with its answer, once it is answered.',
  },
)

export const ThreadEvent = Type.Unsafe<object>({
  anyOf: [
    Ref(MessageChanged),
    {
      allOf: [
        Ref(RunEvent),
        Type.Object({
          message_id: Type.String({ description: 'The message of the turn.' }),
          thread_turn: Type.Integer({ description: 'The turn.' }),
        }),
      ],
      description: 'An event of the run of a turn.',
    },
  ],
  $id: 'ThreadEvent',
  description: 'An event of a run of the thread, or `message.changed`.',
})

/** Filters of the list of threads. */
export const threadsQuery = {
  workflow_id: Type.Optional(Text(100, 'Only threads with this workflow.')),
  key: Type.Optional(Text(200, 'Only threads with this key.')),
  status: Type.Optional(
    StringEnum(threadStatuses, { description: 'Only threads in this status.' }),
  ),
  tag: Type.Optional(
    Type.Array(
      Type.String({
        maxLength: 241,
        pattern: '^[a-z0-9_.-]{1,40}:[\\s\\S]{0,200}$',
        description: '`key:value`, such as `customer:acme`.',
      }),
      { maxItems: 5, description: 'Only threads with this tag, `key:value`; may be repeated.' },
    ),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 200,
      description:
        'Up to 5 whole words, ignoring case, that must all occur in the title, the key or the first message.',
    }),
  ),
}
export type ThreadsQuery = Static<TObject<typeof threadsQuery>>
