import Type, { type Static } from 'typebox'
import {
  Nullable,
  NullableObject,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
  optional,
} from '../wire-types.ts'
import { Rules } from '../policies/schema.ts'
import { versionFields, versionNumbers, versionOf } from '../versions/schema.ts'

export const category = Type.String({
  maxLength: 500,
  description: 'Free text to group agents by.',
})

export const CallerTool = StrictObject(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^[a-z][a-z0-9_]{0,39}$',
      description:
        'A letter a-z and up to 39 more of a-z 0-9 _, such as `lookup_order`; the action is `app.<name>`.',
    }),
    description: Text(2000, 'What the tool does, for the model.'),
    input_schema: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'JSON Schema of its arguments, up to 32 KB, with an object at its root.',
    }),
    timeout_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        default: 300,
        description: 'How long a call may take, from its request to its result.',
      }),
    ),
    sensitive: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether it has an effect. A sensitive call needs approval by default and is never repeated by itself.',
      }),
    ),
  },
  {
    $id: 'CallerTool',
    description: 'A tool that a process of your own executes; see `POST /v1/tool-calls/claim`.',
  },
)
export type CallerTool = Static<typeof CallerTool>

/** Fields that standing agents and crew entries share. */
export const toolsOfAgent = {
  maxTokens: Nullable(
    Type.Integer({
      minimum: 256,
      maximum: 32_000,
      description: 'Maximum output tokens of one model turn; null sets no limit.',
    }),
  ),
  connectors: Type.Array(Text(64, 'A connector id.'), {
    maxItems: 8,
    description: 'Connectors that the agent may use; duplicates are ignored.',
  }),
  capabilities: Type.Array(
    Type.String({
      maxLength: 200,
      pattern: '^[^.\\s]+\\.\\S+$',
      description: '`<connector>.<action>`.',
    }),
    { maxItems: 40, description: 'Actions that the agent may use; duplicates are ignored.' },
  ),
  tools: Type.Array(Ref(CallerTool), {
    maxItems: 20,
    description:
      'Tools that processes of your own execute. The agent needs no capability for them.',
  }),
  rules: Rules(
    "Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and " +
      'the crew entry differ, the strictest applies.',
  ),
}

const fields = {
  name: Text(80, 'Name of the agent.'),
  description: Nullable(Type.String({ maxLength: 280, description: 'Description.' })),
  category,
  role: Text(60, 'Name of its steps in workflows and runs.'),
  systemPrompt: Text(8000, 'Instructions of the agent.'),
  model: Nullable(Text(80, "Model id, one of `GET /v1/models`; null uses the workflow's model.")),
  fallbacks: Type.Array(Text(80, 'A model id.'), {
    maxItems: 3,
    description:
      "Fallback models, tried in order while the model's provider is unavailable; an empty list uses the " +
      "workflow's.",
  }),
  ...toolsOfAgent,
  output_schema: NullableObject(
    "JSON Schema of the agent's output, up to 32 KB, with an object at its root; null for free text.",
  ),
  status: StringEnum(['active', 'paused'] as const, {
    description: 'A run that reaches a step of a paused agent fails.',
  }),
  memory_enabled: Type.Boolean({
    description: 'Whether the agent has memory across runs, in all its workflows.',
  }),
}

export const Agent = Type.Object(
  {
    id: Type.String({ description: 'Agent id; `agentId` of a crew entry.' }),
    ...fields,
    ...versionNumbers,
    created_at: Timestamp('When the agent was created.'),
    updated_at: Timestamp('When the agent was last changed.'),
  },
  { $id: 'Agent', description: 'A reusable role with its own instructions, tools and memory.' },
)
export type Agent = Static<typeof Agent>

const { name, role, systemPrompt } = fields

export const CreateAgent = StrictObject(
  { ...optional(fields), name, role, systemPrompt },
  {
    $id: 'CreateAgent',
    examples: [
      {
        name: 'Support writer',
        role: 'writer',
        systemPrompt: 'Answer customers, friendly and short.',
      },
    ],
    description: 'The agent to create.',
  },
)
export type CreateAgent = Static<typeof CreateAgent>

export const UpdateAgent = StrictObject(optional({ ...fields, ...versionFields }), {
  $id: 'UpdateAgent',
  examples: [{ status: 'paused' }],
  description: 'The fields to update.',
})
export type UpdateAgent = Static<typeof UpdateAgent>

const { status: _, ...defined } = fields

export const AgentDefinition = Type.Object(defined, {
  $id: 'AgentDefinition',
  description: 'The definition in a version of an agent; it can be sent as an update.',
})
export type AgentDefinition = Static<typeof AgentDefinition>

export const AgentVersion = versionOf('AgentVersion', AgentDefinition)
export type AgentVersion = Static<typeof AgentVersion>
