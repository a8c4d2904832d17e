import Type, { type Static, type TSchema } from 'typebox'
import {
  Nullable,
  NullableObject,
  NullableText,
  NullableTimestamp,
  Ref,
  StrictObject,
  StringEnum,
  Timestamp,
} from '../../wire-types.ts'
import { runErrorCodes, runStatuses } from '../run/run.ts'
import { Pending } from './pending.ts'
import { author, Step, usage } from './step.ts'
import { TagsOfRun, TagsToSet } from './tags.ts'
import type { WireField } from '../run/fields.ts'

const RunWarning = Type.Object(
  {
    code: StringEnum(
      [
        'answer_cut',
        'action_refused',
        'action_failed',
        'action_unknown',
        'tool_calls_unparsed',
        'demo_model',
        'model_ends',
        'model_unavailable',
      ] as const,
      {
        description:
          '`answer_cut`: a step reached a limit of output tokens, and its output is incomplete. `action_refused`: ' +
          'an action that an agent requested was refused: it needs an approval and the runs of the workflow may not ' +
          'pause, a rule blocks it, or a limit is used up. `action_failed`: an action failed, or no one approved it ' +
          'in time, and no later call did it. `action_unknown`: it is unknown whether an action was done. ' +
          "`tool_calls_unparsed`: the model's server left tool calls in the text, so they were not made. " +
          '`demo_model`: the offline stand-in answered although a provider has a key. `model_ends`: the model shuts down within ' +
          '90 days, or has shut down. `model_unavailable`: its key was removed. More codes may be added.',
      },
    ),
    message: Type.String({ description: 'The warning as text.' }),
    step_order: Type.Integer({ description: 'The step, from 0.' }),
  },
  { description: 'A warning.' },
)

const fields = {
  id: Type.String({ description: 'Run id.' }),
  workflow_id: Type.String({ description: 'The workflow.' }),
  workflow_version: Nullable(
    Type.Integer({
      description:
        'Version of the workflow that it was triggered with, or that was live when it began; null before, and for ' +
        'runs older than versions.',
    }),
  ),
  status: StringEnum(runStatuses, { description: '`completed` and `failed` are final.' }),
  input: Type.String({ description: 'The input text of the run.' }),
  data: NullableObject('The input object of the run; null for none.'),
  output: NullableText("The last agent's output; null until completed."),
  output_json: NullableObject(
    'The output as an object, if the last agent has an `output_schema`; null otherwise.',
  ),
  error: NullableText('Why the run failed, naming the step; null unless failed.'),
  error_code: Nullable(
    StringEnum(runErrorCodes, {
      description: 'Code of the failure; null unless failed.',
    }),
  ),
  total_steps: Type.Integer({ description: 'Finished steps, including a failed one.' }),
  ...usage,
  retry_of: NullableText('Run that this one retries.'),
  forked_from: Nullable(
    Type.Object(
      {
        run_id: Type.String({ description: 'Run that this one continues.' }),
        step: Type.Integer({ description: 'The step at which it began, from 0.' }),
      },
      { description: 'The run that this one was forked from; null for others.' },
    ),
  ),
  triggered_by: Nullable(
    Type.Object(
      {
        ...author('').properties,
        on_behalf_of: Type.Optional(
          Type.Array(author('A user or a key.'), {
            description:
              'Who is behind a schedule, hook, mailbox or batch: who created it, last changed it, or asked for ' +
              'this run. Left out for no one else.',
          }),
        ),
      },
      { description: 'Who triggered or retried it; null if no one did.' },
    ),
  ),
  thread_id: NullableText('Thread of which it is a turn; null for none.'),
  turn: Nullable(
    Type.Integer({ description: 'Number of the turn in its thread, from 1; null for none.' }),
  ),
  tags: TagsOfRun,
  warnings: Type.Array(RunWarning, {
    description:
      'Warnings that did not make the run fail; usually empty. A completed run with warnings may not have done all ' +
      'that its agents requested.',
  }),
  pending: Pending,
  created_at: Timestamp('When the run was triggered.'),
  started_at: NullableTimestamp('When execution began; null while queued.'),
  finished_at: NullableTimestamp('When the run ended; null before.'),
} satisfies Record<WireField | 'forked_from', TSchema>

export const Run = Type.Object(fields, {
  $id: 'Run',
  description: 'One execution of a workflow, without its steps.',
})
export type Run = Static<typeof Run>

/** Whether the text of a file can be read. */
export const textStatuses = ['complete', 'cut', 'none'] as const

export const RunFile = Type.Object(
  {
    id: Type.String({ description: 'File id.' }),
    name: Type.String({ description: 'Its name.' }),
    media_type: Type.String({ description: 'Type of its content.' }),
    bytes: Type.Integer({ description: 'Size in bytes.' }),
    pages: Nullable(Type.Integer({ description: 'Pages of a PDF; null otherwise.' })),
    text_status: Nullable(
      StringEnum(textStatuses, {
        description: "Whether its text can be read, as in the file's `text_status`.",
      }),
    ),
    text_chars: Nullable(Type.Integer({ description: 'Characters of its text; null for images.' })),
    deleted: Type.Boolean({
      description: 'Whether the file is deleted; its metadata is then null.',
    }),
  },
  { $id: 'RunFile', description: 'An input file of a run, or one that an agent wrote.' },
)
export type RunFile = Static<typeof RunFile>

const runFiles = Type.Object(
  {
    inputs: Type.Array(Ref(RunFile), { description: "The run's input files." }),
    outputs: Type.Array(Ref(RunFile), { description: 'Files that its agents wrote.' }),
  },
  { description: 'Files of the run; not in lists.' },
)
const heldObject = Type.Object({
  reason: StringEnum(
    ['provider_unavailable', 'account_at_limit', 'budget', 'no_worker', 'caller_tool'] as const,
    {
      description:
        "`caller_tool`: it waits for a result from the account's own workers. More codes may be added.",
    },
  ),
  since: NullableTimestamp('Since when; null if unknown.'),
  next_try_at: NullableTimestamp('When it is tried again; null if that depends on others.'),
  message: Type.String({ description: 'The warning as text.' }),
})
export type Held = Static<typeof heldObject>

export const RunWithSteps = Type.Object(
  {
    ...fields,
    waited_ms: Type.Integer({
      description:
        'Time since it began that it spent waiting for people, for workers or to repeat a model call.',
    }),
    held: Nullable({
      ...heldObject,
      description:
        'Why the run cannot continue at present; null if it can, has ended, or waits for a person. Not in lists.',
    }),
    failing_since: Nullable(
      Type.Object(
        {
          version: Type.Integer({ description: 'Version of the first run that failed.' }),
          last_worked_version: Type.Integer({
            description: 'Version of the last run that completed before this one was triggered.',
          }),
          last_worked_run_id: Type.String({ description: 'That run.' }),
          diff: Type.String({ description: 'Path of the diff between the two versions.' }),
        },
        {
          description:
            'For a failed run: the version since which the workflow fails, if an earlier one worked; null otherwise. ' +
            'Not in lists.',
        },
      ),
    ),
    files: runFiles,
    steps: Type.Array(Ref(Step), { description: 'Steps in order of execution.' }),
  },
  { $id: 'RunWithSteps', description: 'One execution of a workflow.' },
)
export type RunWithSteps = Static<typeof RunWithSteps>

export const CreateRun = StrictObject(
  {
    input: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_000,
        description: 'The input text for the crew. Optional if `data` is given.',
      }),
    ),
    data: Type.Optional(
      NullableObject(
        "An input object for the crew, up to 64 KB of JSON, which must match the workflow's `input_schema`. " +
          'Agents read it as JSON, after the input.',
      ),
    ),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999_999,
        description:
          'Version of the workflow to run, such as a draft; by default the live one when the run begins.',
      }),
    ),
    agent_versions: Type.Optional(
      Type.Unsafe<Record<string, number>>({
        type: 'object',
        maxProperties: 10,
        propertyNames: { minLength: 1, maxLength: 80, description: 'Id of an agent of the crew.' },
        additionalProperties: { type: 'integer', minimum: 1, maximum: 999_999_999 },
        description:
          "Versions of the crew's agents to use, such as drafts, by agent id; other agents use the live version. " +
          'The versions of such a run are fixed when it is triggered.',
      }),
    ),
    tags: Type.Optional(TagsToSet),
    files: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100, description: 'File id.' }), {
        maxItems: 20,
        description:
          'Input files for the crew, up to 20, without duplicates; see `POST /v1/files`.',
      }),
    ),
  },
  {
    $id: 'CreateRun',
    examples: [
      { input: 'The pump of line 4 failed on Monday at 06:40.', tags: { customer: 'acme' } },
      { data: { machine: 'pump', line: 4, failed_at: '06:40' } },
    ],
    description: 'The run to trigger.',
  },
)
export type CreateRun = Static<typeof CreateRun>

/** @public */
export const RunChanged = Type.Object(
  {
    type: Type.Literal('run.changed', { description: 'A run changed.' }),
    run_id: Type.String({ description: 'The run.' }),
    status: StringEnum(runStatuses, { description: 'Its current status.' }),
    sequence: Type.Integer({ description: 'Number of its newest event.' }),
  },
  { $id: 'RunChanged', description: 'A run began, changed or ended.' },
)

/** @public */
export const PendingChanged = Type.Object(
  {
    type: Type.Literal('pending.changed', { description: "A run's waiting request changed." }),
    run_id: Type.String({ description: 'The run.' }),
    pending_id: NullableText('The waiting request; null if there is none.'),
  },
  { $id: 'PendingChanged', description: 'A run started or stopped waiting for a person.' },
)

export const AccountEvent = Type.Unsafe<Static<typeof RunChanged> | Static<typeof PendingChanged>>({
  oneOf: [Ref(RunChanged), Ref(PendingChanged)],
  $id: 'AccountEvent',
  description: 'A hint to reload data.',
  discriminator: {
    propertyName: 'type',
    mapping: {
      'run.changed': '#/components/schemas/RunChanged',
      'pending.changed': '#/components/schemas/PendingChanged',
    },
  },
})

export type AccountEvent = Static<typeof AccountEvent>
