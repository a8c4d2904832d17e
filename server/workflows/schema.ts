import Type, { type Static } from 'typebox'
import {
  Nullable,
  NullableObject,
  NullableText,
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
    model: Type.Optional(Text(80, 'Model of this agent only.')),
    agentId: Type.Optional(Text(80, 'Standing agent whose live definition replaces this entry.')),
    ...tools,
    output_schema: Type.Optional(
      NullableObject(
        "JSON Schema of the agent's output, up to 32 KB, with an object at its root; overrides the agent's own. " +
          'Null or omitted for none.',
      ),
    ),
  },
  {
    $id: 'CrewEntry',
    description:
      "One agent of a crew. With `agentId`, the standing agent's tools and `maxTokens` replace the entry's, and " +
      'the stricter rule of both applies.',
  },
)
export type CrewEntry = Static<typeof CrewEntry>

const minutes = (what: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum: 43_200, description: `${what} null means never.` }))

const humanInTheLoop = {
  enabled: Type.Boolean({ description: 'Whether runs may pause for a human.' }),
  allow_input: Type.Boolean({ description: 'Whether agents may ask questions.' }),
  approvals: StringEnum(['sensitive', 'all', 'never'] as const, {
    description: 'Which actions wait for approval: sensitive ones, all, or none.',
    default: 'sensitive',
  }),
  timeout_seconds: Nullable(
    Type.Integer({
      minimum: 60,
      maximum: 2_592_000,
      description: 'How long one pause may last, in seconds; null means no limit.',
    }),
  ),
  on_timeout: StringEnum(['fail', 'reject'] as const, {
    description:
      'What happens on a timeout: the run fails, or continues as if the action was rejected.',
    default: 'fail',
  }),
  approvers,
  required_approvals: Type.Integer({
    minimum: 1,
    maximum: 5,
    description: 'How many different people have to approve an action. Above 1, keys do not count.',
  }),
  remind_after_minutes: minutes('Channels send one reminder of a request that waits this long.'),
  escalate_after_minutes: minutes(
    'A request that waits this long is escalated once, to `escalate_to`. It keeps waiting.',
  ),
  escalate_to: StrictObject(
    { users: approvers.properties.users, roles: approvers.properties.roles },
    {
      description:
        'Who gets an email when a request escalates. `approvers` decides who may answer.',
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
    description: 'Maximum model turns of one step.',
  }),
  max_run_seconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    description: 'Maximum run time in seconds; waiting for a human or a worker does not count.',
  }),
  max_outage_seconds: Type.Integer({
    minimum: 0,
    maximum: 2_592_000,
    description:
      'How long a run is held during a provider outage before it fails; this time counts towards no other ' +
      'limit.',
  }),
  max_cost_usd: Nullable(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description: 'Maximum cost of one run in US dollars; null means no limit.',
    }),
  ),
  on_cost: StringEnum(['fail', 'ask'] as const, {
    description:
      '`fail`: a run that exceeds `max_cost_usd` fails. `ask`: it pauses before the call that would exceed it, ' +
      'and a person may allow a higher cost.',
  }),
}

export const Limits = Type.Object(limits, {
  $id: 'Limits',
  description:
    'A run that exceeds a limit fails with `budget_exceeded`, or with `step_failed` for `max_outage_seconds`.',
})
export type Limits = Static<typeof Limits>

const thread = {
  context: StringEnum(['transcript', 'last_output', 'none'] as const, {
    description:
      'What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; ' +
      '`last_output`, the newest output alone; `none`, nothing.',
    default: 'transcript',
  }),
  max_tokens: Type.Integer({
    minimum: 500,
    maximum: 1_000_000,
    description:
      'Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary.',
    default: 16_000,
  }),
  summary_model: Nullable(
    Text(80, 'Model that writes summaries; null for the model of the workflow.'),
  ),
}

const name = Text(120, 'Name of the workflow.')
const fields = {
  description: Nullable(Type.String({ maxLength: 500, description: 'Description.' })),
  model: Text(
    80,
    "Model of agents that set none; the server's current default if it is inherited.",
  ),
  fallbacks: Type.Array(Text(80, 'A model id.'), {
    maxItems: 3,
    description:
      "Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own " +
      'list takes precedence.',
  }),
  crew: Type.Array(Ref(CrewEntry), {
    minItems: 1,
    maxItems: 10,
    description: 'The agents, in order of execution.',
  }),
  input_schema: NullableObject(
    "JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none.",
  ),
  memory_enabled: Type.Boolean({
    description: "Whether the workflow's own roles have memory across runs.",
  }),
  expose_mcp: Nullable(
    Type.Object(
      {
        name: Type.String({ description: 'Name of the tool.' }),
        description: NullableText(
          "What models read about the tool; null for the workflow's description.",
        ),
      },
      {
        description:
          'The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none.',
      },
    ),
  ),
  thread: Nullable(
    Type.Object(thread, {
      description:
        'How turns of threads see the earlier ones; null if the workflow takes no threads.',
    }),
  ),
}
const status = StringEnum(['active', 'paused'] as const, {
  description: 'A paused workflow accepts no new runs.',
})

const inherited = Type.Boolean({
  description:
    "Whether `model` is the server's current default. Setting it to true is the same as `model` null; setting " +
    'it to false pins the current model.',
})

const inputFields = {
  ...optional(fields),
  model: Type.Optional(
    Nullable(
      Text(80, "Model of agents that set none; null always uses the server's current default."),
    ),
  ),
  expose_mcp: Type.Optional(
    Nullable(
      StrictObject(
        {
          name: Type.Optional(
            Type.String({
              pattern: '^[A-Za-z0-9_-]{1,64}$',
              maxLength: 64,
              description:
                'Name of the tool, unique in the account; made of the name of the workflow by default.',
            }),
          ),
          description: Type.Optional(Nullable(Text(2_000, 'What models read about the tool.'))),
        },
        {
          description:
            'Makes the workflow a tool of the MCP server at `/mcp`; null ends that. The `input_schema` may then ' +
            'not have the properties `wait_seconds` and `thread`, which the tool has itself.',
        },
      ),
    ),
  ),
  thread: Type.Optional(
    Nullable(
      StrictObject(optional(thread), {
        description:
          'How turns of threads see the earlier ones; omitted fields get their default. Null for no threads.',
      }),
    ),
  ),
  human_in_the_loop: Type.Optional(
    StrictObject(
      {
        ...optional(humanInTheLoop),
        approvers: Type.Optional(
          StrictObject(optional(approvers.properties), {
            description: 'Who may answer. Replaced as a whole: an omitted list is empty.',
          }),
        ),
        escalate_to: Type.Optional(
          StrictObject(optional(approvers.properties), {
            description:
              'Who is notified when a request escalates. Replaced as a whole: an omitted list is empty.',
          }),
        ),
      },
      { description: 'Omitted fields keep their value, or their default.' },
    ),
  ),
  limits: Type.Optional(
    StrictObject(optional(limits), {
      description: 'Omitted fields keep their value, or their default.',
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
    description: 'The workflow to create.',
  },
)
export type CreateWorkflow = Static<typeof CreateWorkflow>

export const UpdateWorkflow = StrictObject(
  {
    ...optional({ name }),
    ...inputFields,
    ...optional({ status, model_inherited: inherited, ...versionFields }),
  },
  { $id: 'UpdateWorkflow', examples: [{ status: 'paused' }], description: 'The fields to update.' },
)
export type UpdateWorkflow = Static<typeof UpdateWorkflow>

/** Also of a schedule, which says what its workflow needs. */
export const WorkflowWarnings = Type.Array(
  Type.Object(
    {
      code: StringEnum(
        [
          'action_refused',
          'action_unavailable',
          'demo_model',
          'model_ends',
          'model_unavailable',
          'placeholder_left',
        ] as const,
        {
          description:
            "`action_refused`: an agent has an action that needs approval, but the workflow's runs may not pause, so " +
            'it will be refused. `action_unavailable`: an agent has an action that cannot be called, because its ' +
            'connector is not connected or the tool changed. `placeholder_left`: a text of a template, such as ' +
            '`#CHANNEL`, still has to be replaced. `demo_model`: the offline stand-in is used although a provider has a key. ' +
            '`model_ends`: a model shuts down within 90 days, or has shut down. `model_unavailable`: a model has no ' +
            'key here, or was removed; runs fail there. More codes may be added.',
        },
      ),
      message: Type.String({ description: 'The warning as text.' }),
    },
    { description: 'A warning.' },
  ),
  {
    description:
      'Current warnings, such as what it still needs before it can do its work; usually empty.',
  },
)

const created = {
  id: Type.String({ description: 'Workflow id.' }),
  name,
  ...fields,
  model_inherited: inherited,
  warnings: WorkflowWarnings,
  status,
  human_in_the_loop: Ref(HumanInTheLoop),
  limits: Ref(Limits),
  ...versionNumbers,
  created_at: Timestamp('When the workflow was created.'),
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
    model: Nullable(Text(80, "Model of agents that set none; null uses the server's default.")),
    human_in_the_loop: Ref(HumanInTheLoop),
    limits: Ref(Limits),
  },
  {
    $id: 'WorkflowDefinition',
    description: 'The definition in a version of a workflow; it can be sent as an update.',
  },
)
export type WorkflowDefinition = Static<typeof WorkflowDefinition>

export const WorkflowVersion = versionOf('WorkflowVersion', WorkflowDefinition)
export type WorkflowVersion = Static<typeof WorkflowVersion>
