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
import { toolsOfAgent } from '../agents/schema.ts'
import { approvers } from '../engine/wire/pending.ts'
import { versionFields, versionNumbers, versionOf } from '../versions/schema.ts'

const tools = optional(toolsOfAgent)

export const CrewEntry = StrictObject(
  {
    role: Text(60, 'Role of the agent; names its step.'),
    systemPrompt: Text(8000, 'Instructions of the agent.'),
    model: Type.Optional(Text(80, 'Model of this agent alone.')),
    agentId: Type.Optional(
      Text(80, 'Standing agent whose live definition runs in place of this entry.'),
    ),
    ...tools,
    output_schema: Type.Optional(
      NullableObject(
        'JSON Schema of the object that the agent answers with, up to 32 KB, an object at its root; in ' +
          "place of the agent's own. Null or left out for none.",
      ),
    ),
  },
  {
    $id: 'CrewEntry',
    description:
      'One agent of a crew. With `agentId` the tools and `maxTokens` of the standing agent count, not those of the entry; ' +
      'of the rules of both the stricter.',
  },
)
export type CrewEntry = Static<typeof CrewEntry>

const minutes = (what: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum: 43_200, description: `${what} null means never.` }))

const humanInTheLoop = {
  enabled: Type.Boolean({ description: 'Whether runs may pause for a human.' }),
  allow_input: Type.Boolean({ description: 'Whether agents may ask questions.' }),
  approvals: StringEnum(['sensitive', 'all', 'never'] as const, {
    description: 'Which actions wait for a human: sensitive ones, all, or none.',
    default: 'sensitive',
  }),
  timeout_seconds: Nullable(
    Type.Integer({
      minimum: 60,
      maximum: 2_592_000,
      description: 'How long one pause may last, in seconds; null means without end.',
    }),
  ),
  on_timeout: StringEnum(['fail', 'reject'] as const, {
    description: 'What an unanswered pause does: end the run, or go on as if refused.',
    default: 'fail',
  }),
  approvers,
  required_approvals: Type.Integer({
    minimum: 1,
    maximum: 5,
    description: 'How many different people have to approve an action. Over 1, keys do not count.',
  }),
  remind_after_minutes: minutes('Channels remind once of a request that waits this long.'),
  escalate_after_minutes: minutes(
    'A request that waits this long is told to `escalate_to`, once. It goes on waiting.',
  ),
  escalate_to: StrictObject(
    { users: approvers.properties.users, roles: approvers.properties.roles },
    {
      description:
        'Who is told by email when a request escalates. Who may answer is a matter of `approvers`.',
    },
  ),
}

export const HumanInTheLoop = Type.Object(humanInTheLoop, {
  $id: 'HumanInTheLoop',
  description: 'When runs of a workflow wait for people.',
})
export type HumanInTheLoop = Static<typeof HumanInTheLoop>

const limits = {
  max_turns_per_step: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: 'Most model turns of one step.',
  }),
  max_run_seconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    description: 'Most seconds at work; waiting for a human, or for a worker, does not count.',
  }),
  max_outage_seconds: Type.Integer({
    minimum: 0,
    maximum: 2_592_000,
    description:
      'How long a run is held while no provider answers, before it fails; that time counts towards ' +
      'no other limit.',
  }),
  max_cost_usd: Nullable(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description: 'Most US dollars that one run may cost; null means no limit.',
    }),
  ),
  on_cost: StringEnum(['fail', 'ask'] as const, {
    description:
      '`fail`: a run that passes `max_cost_usd` fails. `ask`: it pauses before the call that would pass it, and a ' +
      'person may let it cost more.',
  }),
}

export const Limits = Type.Object(limits, {
  $id: 'Limits',
  description:
    'Past a limit a run fails with `budget_exceeded`; past `max_outage_seconds` with `step_failed`.',
})
export type Limits = Static<typeof Limits>

const name = Text(120, 'Name of the workflow.')
const fields = {
  description: Nullable(Type.String({ maxLength: 500, description: 'What it is for.' })),
  model: Text(
    80,
    "Model of the agents that set none; the server's default of now where it is inherited.",
  ),
  fallbacks: Type.Array(Text(80, 'A model id.'), {
    maxItems: 3,
    description:
      "Models that are tried in order while the provider of an agent's model is unavailable. An agent " +
      'with a list of its own uses that.',
  }),
  crew: Type.Array(Ref(CrewEntry), {
    minItems: 1,
    maxItems: 10,
    description: 'The agents in the order in which they work.',
  }),
  input_schema: NullableObject(
    'JSON Schema of the `data` that a run is triggered with, up to 32 KB, an object at its root; null ' +
      'for none.',
  ),
  memory_enabled: Type.Boolean({
    description: "Whether the workflow's own roles keep memory between runs.",
  }),
}
const status = StringEnum(['active', 'paused'] as const, {
  description: 'A paused workflow accepts no new runs.',
})

const inherited = Type.Boolean({
  description:
    "Whether `model` is the server's default of now. Setting it to true is the same as `model` null; to false " +
    'keeps the model of now.',
})

const inputFields = {
  ...optional(fields),
  model: Type.Optional(
    Nullable(
      Text(
        80,
        "Model of the agents that set none; null takes the server's default, whatever it is.",
      ),
    ),
  ),
  human_in_the_loop: Type.Optional(
    StrictObject(
      {
        ...optional(humanInTheLoop),
        approvers: Type.Optional(
          StrictObject(optional(approvers.properties), {
            description: 'Who may answer. Replaced as a whole: a list that is left out is empty.',
          }),
        ),
        escalate_to: Type.Optional(
          StrictObject(optional(approvers.properties), {
            description:
              'Who is told when a request escalates. Replaced as a whole: a list that is left out is empty.',
          }),
        ),
      },
      { description: 'Fields that are left out keep their value, or their default.' },
    ),
  ),
  limits: Type.Optional(
    StrictObject(optional(limits), {
      description: 'Fields that are left out keep their value, or their default.',
    }),
  ),
}

export const CreateWorkflow = StrictObject(
  { name, ...inputFields },
  {
    $id: 'CreateWorkflow',
    examples: [
      {
        name: 'Incident report',
        crew: [
          { role: 'analyst', systemPrompt: 'List what failed, why, and what it cost.' },
          { role: 'writer', systemPrompt: 'Write a short report from the list. No blame.' },
        ],
      },
    ],
    description: 'A workflow to make.',
  },
)
export type CreateWorkflow = Static<typeof CreateWorkflow>

export const UpdateWorkflow = StrictObject(
  {
    ...optional({ name }),
    ...inputFields,
    ...optional({ status, model_inherited: inherited, ...versionFields }),
  },
  { $id: 'UpdateWorkflow', examples: [{ status: 'paused' }], description: 'The fields to change.' },
)
export type UpdateWorkflow = Static<typeof UpdateWorkflow>

const created = {
  id: Type.String({ description: 'Workflow id.' }),
  name,
  ...fields,
  model_inherited: inherited,
  warnings: Type.Array(
    Type.Object(
      {
        code: StringEnum(
          ['action_refused', 'demo_model', 'model_ends', 'model_unavailable'] as const,
          {
            description:
              '`action_refused`: an agent has an action that needs an approval, and the workflow asks no person, so ' +
              'it will be refused. `demo_model`: the offline stand-in is in use although a provider has a key. `model_ends`: a ' +
              'model ends within 90 days, or has ended. `model_unavailable`: a model has no key here, or was removed; runs fail there. ' +
              'More may come.',
          },
        ),
        message: Type.String({ description: 'The same in words.' }),
      },
      { description: 'A warning.' },
    ),
    { description: 'What is worth knowing of its models and actions today; mostly empty.' },
  ),
  status,
  human_in_the_loop: Ref(HumanInTheLoop),
  limits: Ref(Limits),
  ...versionNumbers,
  created_at: Timestamp('When the workflow was made.'),
}

export const CreatedWorkflow = Type.Object(created, {
  $id: 'CreatedWorkflow',
  description: 'A new workflow.',
})

export const Workflow = Type.Object(
  { ...created, updated_at: Timestamp('When the workflow was last changed.') },
  { $id: 'Workflow', description: 'A reusable, ordered crew.' },
)
export type Workflow = Static<typeof Workflow>

export const WorkflowDefinition = Type.Object(
  {
    name,
    ...fields,
    model: Nullable(
      Text(80, "Model of the agents that set none; null takes the server's default."),
    ),
    human_in_the_loop: Ref(HumanInTheLoop),
    limits: Ref(Limits),
  },
  {
    $id: 'WorkflowDefinition',
    description: 'What a version of a workflow defines; it can be sent back as an update.',
  },
)
export type WorkflowDefinition = Static<typeof WorkflowDefinition>

export const WorkflowVersion = versionOf('WorkflowVersion', WorkflowDefinition)
export type WorkflowVersion = Static<typeof WorkflowVersion>
