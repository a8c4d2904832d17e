import Type, { type Static } from 'typebox'
import { Notification } from '../sends/channels/schema.ts'
import { WaitingRun } from '../engine/wire/pending.ts'
import { author } from '../engine/wire/step.ts'
import { Name, Nullable, Ref, StrictObject, Timestamp } from '../wire-types.ts'

export const Case = Type.Object(
  {
    ...WaitingRun.properties,
    assignee: Nullable({
      ...Type.Object({
        id: Type.String({ description: 'User id.' }),
        name: Type.String({ description: 'Name.' }),
      }),
      description: 'The assignee; null if any approver may answer.',
    }),
    notifications: Type.Array(Ref(Notification), {
      description: 'Its notifications, with failed deliveries.',
    }),
  },
  { $id: 'Case', description: 'A request that awaits a human, with its assignee and comments.' },
)
export type Case = Static<typeof Case>

export const AssignCase = StrictObject(
  {
    user_id: Nullable(
      Type.String({
        maxLength: 80,
        description: 'A user of the account who may answer; null removes the assignment.',
      }),
    ),
  },
  { $id: 'AssignCase', examples: [{ user_id: null }], description: 'The assignee of a case.' },
)
export type AssignCase = Static<typeof AssignCase>

export const Comment = Type.Object(
  {
    id: Type.String({ description: 'Comment id.' }),
    pending_id: Type.String({ description: 'The request that it is about.' }),
    run_id: Type.String({ description: 'The run of that request.' }),
    author: author('Who wrote it.'),
    text: Type.String({ description: 'The text.' }),
    created_at: Timestamp('When it was written.'),
  },
  { $id: 'Comment', description: "A person's comment on a request. Agents do not see it." },
)
export type Comment = Static<typeof Comment>

export const CreateComment = StrictObject(
  { text: Name(4_000, 'The comment') },
  {
    $id: 'CreateComment',
    examples: [{ text: 'I asked the customer, wait until Friday.' }],
    description: 'The comment to add.',
  },
)
export type CreateComment = Static<typeof CreateComment>
