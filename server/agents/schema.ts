import Type, { type Static } from 'typebox'
import { Nullable, StrictObject, Timestamp, StringEnum } from '../http/schema.ts'

export const category = Type.String({
  minLength: 1,
  maxLength: 80,
  description: 'Free text to sort agents by.',
})

const fields = {
  name: Type.String({ minLength: 1, maxLength: 80, description: 'Name of the agent.' }),
  description: Nullable(Type.String({ maxLength: 280, description: 'What it is for.' })),
  category,
  role: Type.String({
    minLength: 1,
    maxLength: 60,
    description: 'Names its steps in workflows and runs.',
  }),
  systemPrompt: Type.String({
    minLength: 1,
    maxLength: 8000,
    description: 'Instructions of the agent.',
  }),
  model: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 80,
      description: 'Model id, one of `GET /v1/models`; null takes the model of the workflow.',
    }),
  ),
  maxTokens: Nullable(
    Type.Integer({
      minimum: 256,
      maximum: 32_000,
      description: 'Most output tokens of one model turn; null sets no limit of its own.',
    }),
  ),
  connectors: Type.Array(
    Type.String({ minLength: 1, maxLength: 64, description: 'A connector id.' }),
    { maxItems: 8, description: 'Connectors that the agent may use; repeats are dropped.' },
  ),
  capabilities: Type.Array(
    Type.String({
      maxLength: 200,
      pattern: '^[^.\\s]+\\.\\S+$',
      description: '`<connector>.<action>`.',
    }),
    { maxItems: 40, description: 'Actions that the agent may take; repeats are dropped.' },
  ),
  status: StringEnum(['active', 'paused'] as const, {
    description: 'A run that reaches a step of a paused agent fails.',
  }),
  memory_enabled: Type.Boolean({
    description: 'Whether the agent keeps memory between runs, in all its workflows.',
  }),
}

const optional = {
  description: Type.Optional(fields.description),
  category: Type.Optional(fields.category),
  model: Type.Optional(fields.model),
  maxTokens: Type.Optional(fields.maxTokens),
  connectors: Type.Optional(fields.connectors),
  capabilities: Type.Optional(fields.capabilities),
  status: Type.Optional(fields.status),
  memory_enabled: Type.Optional(fields.memory_enabled),
}

export const Agent = Type.Object(
  {
    id: Type.String({ description: 'Agent id; `agentId` of a crew entry.' }),
    ...fields,
    created_at: Timestamp('When the agent was made.'),
    updated_at: Timestamp('When the agent was last changed.'),
  },
  { $id: 'Agent', description: 'A standing role with its own instructions, tools and memory.' },
)
export type Agent = Static<typeof Agent>

export const CreateAgent = StrictObject(
  { name: fields.name, role: fields.role, systemPrompt: fields.systemPrompt, ...optional },
  { $id: 'CreateAgent', description: 'An agent to make.' },
)
export type CreateAgent = Static<typeof CreateAgent>

export const UpdateAgent = StrictObject(
  {
    name: Type.Optional(fields.name),
    role: Type.Optional(fields.role),
    systemPrompt: Type.Optional(fields.systemPrompt),
    ...optional,
  },
  { $id: 'UpdateAgent', description: 'The fields to change.' },
)
export type UpdateAgent = Static<typeof UpdateAgent>
