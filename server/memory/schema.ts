import Type, { type Static } from 'typebox'
import {
  NullableText,
  NullableTimestamp,
  optional,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../wire-types.ts'

/** The owner of a memory: a standing agent, or one role of a workflow. */
export type MemoryScope =
  | { kind: 'agent'; agentId: string }
  | { kind: 'role'; workflowId: string; role: string }

/** For reads, a workflow stands for all its roles. */
export type MemoryOwner = MemoryScope | { kind: 'workflow'; workflowId: string }

export const maxEntriesPerScope = 200
/** Limit for all roles, including roles that left the crew: as many as ten full roles have. */
export const maxEntriesPerWorkflow = 2_000
export const maxContentLength = 2_000

const content = Type.String({
  minLength: 1,
  maxLength: maxContentLength,
  pattern: '\\S',
  description: 'Visible text; invisible characters are removed before counting.',
})
const pinned = Type.Boolean({
  description: 'Whether it is always shown, and never replaced by newer entries.',
})
const role = Text(60, 'A role of the crew.')

export const MemoryEntry = Type.Object(
  {
    id: Type.String({ description: 'Memory entry id.' }),
    agent_id: NullableText('The agent; null for a role of a workflow.'),
    workflow_id: NullableText('The workflow; null for an agent.'),
    role: NullableText('The role in the workflow; null for an agent.'),
    content,
    pinned,
    source: StringEnum(['user', 'agent'] as const, { description: 'Who wrote it.' }),
    run_id: NullableText('The run in which an agent wrote it; null if a person did.'),
    created_at: Timestamp('When it was written.'),
    updated_at: Timestamp('When it was last changed.'),
    last_used_at: NullableTimestamp('When it was last shown to a step, to the minute.'),
  },
  { $id: 'MemoryEntry', description: "A memory entry of an agent or of a workflow's role." },
)
export type MemoryEntry = Static<typeof MemoryEntry>

export const CreateAgentMemory = StrictObject(
  { content, ...optional({ pinned }) },
  {
    $id: 'CreateAgentMemory',
    examples: [{ content: 'Ms Brandt wants letters, no calls.', pinned: true }],
    description: 'The entry to add.',
  },
)
export type CreateAgentMemory = Static<typeof CreateAgentMemory>

export const CreateWorkflowMemory = StrictObject(
  { role, content, ...optional({ pinned }) },
  {
    $id: 'CreateWorkflowMemory',
    examples: [{ role: 'writer', content: 'Ms Brandt wants letters, no calls.' }],
    description: 'The entry to add for a role.',
  },
)

export const UpdateMemory = StrictObject(optional({ content, pinned }), {
  $id: 'UpdateMemory',
  examples: [{ pinned: true }],
  description: 'The fields to update.',
})
export type UpdateMemory = Static<typeof UpdateMemory>
