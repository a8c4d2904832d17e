import Type, { type Static } from 'typebox'
import { Notification } from '../channels/schema.ts'
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
      description: 'Whose it is to answer; null for everybody who may.',
    }),
    notifications: Type.Array(Ref(Notification), {
      description: 'Who was told of it, and what could not be delivered.',
    }),
  },
  { $id: 'Case', description: 'A request that awaits a human, with what people noted about it.' },
)
export type Case = Static<typeof Case>

export const AssignCase = StrictObject(
  {
    user_id: Nullable(
      Type.String({
        maxLength: 80,
        description: 'A user of the account who may answer; null takes the assignment back.',
      }),
    ),
  },
  { $id: 'AssignCase', examples: [{ user_id: null }], description: 'Whose a case becomes.' },
)
export type AssignCase = Static<typeof AssignCase>

export const Comment = Type.Object(
  {
    id: Type.String({ description: 'Comment id.' }),
    pending_id: Type.String({ description: 'The request that it is about.' }),
    run_id: Type.String({ description: 'The run of that request.' }),
    author: author('Who wrote it.'),
    text: Type.String({ description: 'What it says.' }),
    created_at: Timestamp('When it was written.'),
  },
  { $id: 'Comment', description: 'What a person noted about a request. Agents do not see it.' },
)
export type Comment = Static<typeof Comment>

export const CreateComment = StrictObject(
  { text: Name(4_000, 'The comment') },
  {
    $id: 'CreateComment',
    examples: [{ text: 'I asked the customer, wait until Friday.' }],
    description: 'A comment to write.',
  },
)
export type CreateComment = Static<typeof CreateComment>
