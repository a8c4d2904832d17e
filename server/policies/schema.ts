import Type, { type Static, type TSchema } from 'typebox'
import { DecidingRule } from '../engine/wire/step.ts'
import { ruleLevels } from '../engine/run/rule.ts'
import { Rules } from './rule.ts'
import {
  Nullable,
  NullableTimestamp,
  optional,
  Ref,
  StrictObject,
  StringEnum,
  Text,
} from '../wire-types.ts'

const fields = {
  approvals_floor: StringEnum(['none', 'sensitive', 'all'] as const, {
    description:
      'Which actions wait for a person at least, whatever a workflow says. The stricter of the two holds.',
  }),
  four_eyes: Type.Boolean({ description: 'Whoever triggered a run may not approve in it.' }),
  require_pending_id: Type.Boolean({
    description: 'An answer to a run must name the request that it answers, by `pending_id`.',
  }),
  web_fetch_hosts: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    maxItems: 100,
    items: {
      type: 'string',
      maxLength: 253,
      pattern: '^(\\*\\.)?[^\\s*/:?#A-Z]+$',
      description: 'A host, such as docs.example.com or *.example.com.',
    },
    description:
      'Hosts that `web.fetch` may reach, in lower case: `docs.example.com`, or `*.example.com` for all ' +
      'below that name, without asking first. null means any host, an empty list none; then an address ' +
      'that an agent wrote itself waits for approval once its run has read private data.',
  }),
  sensitive_actions: Type.Array(
    Type.String({
      maxLength: 200,
      pattern: '^[^.\\s]+\\.\\S+$',
      description: '`<connector>.<action>`.',
    }),
    { maxItems: 100, description: 'Actions that are sensitive whatever their connector says.' },
  ),
  rules: Rules(
    'Rules about calls of agents, in their order: the first that matches decides, in place of the `approvals` of the ' +
      'workflow. `approvals_floor` is not lowered.',
  ),
  mails_a_day: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Most emails that agents may send in a day (UTC); null sets no limit.',
    }),
  ),
} satisfies Record<string, TSchema>

export const Policies = Type.Object(
  { ...fields, updated_at: NullableTimestamp('When they were last changed; null before.') },
  { $id: 'Policies', description: 'What holds for all workflows of the account.' },
)
export type Policies = Static<typeof Policies>

const triedRules = {
  rules: Type.Optional(
    Rules('Rules to try in place of those of `level`; without, the present ones count.'),
  ),
  level: Type.Optional(
    StringEnum(ruleLevels, { description: 'Where they would stand; `account` by default.' }),
  ),
}

export const TestRules = StrictObject(
  {
    ...triedRules,
    pending_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'A call that waits for approval, in place of one that is described.',
      }),
    ),
    action: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Action of the call, such as `email.send`; required without `pending_id`.',
      }),
    ),
    args: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Its arguments.',
      }),
    ),
    agent: Type.Optional(
      StrictObject(
        {
          id: Type.Optional(
            Text(100, 'A standing agent, whose rules count; by default that of the crew entry.'),
          ),
          role: Type.Optional(
            Type.String({ maxLength: 100, description: 'Its role; by default that of the agent.' }),
          ),
        },
        { description: 'The agent that calls.' },
      ),
    ),
    workflow_id: Type.Optional(Text(100, 'Workflow of the run.')),
    order: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 9,
        description: 'Position of the crew entry in the workflow, from 0, whose rules count.',
      }),
    ),
    tags: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 16,
        additionalProperties: { type: 'string', maxLength: 200, description: 'A value.' },
        description: 'Tags of the run.',
      }),
    ),
  },
  {
    $id: 'TestRules',
    examples: [
      {
        rules: [{ action: 'email.send', when: 'args.to.endsWith("@acme.com")', decision: 'allow' }],
        action: 'email.send',
        args: { to: 'ada@acme.com' },
      },
    ],
    description: 'A call, and the rules to try on it.',
  },
)
export type TestRules = Static<typeof TestRules>

const decidingRule = Type.Unsafe<DecidingRule | null>({
  anyOf: [Ref(DecidingRule), { type: 'null' }],
  description: 'The rule that decides; null where none matches, so that the workflow does.',
})

export const RulesTested = Type.Object(
  {
    rule: decidingRule,
    args: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The arguments, with those that rules set.',
    }),
    outcome: Nullable(
      StringEnum(['execute', 'ask', 'refuse'] as const, {
        description:
          '`execute`: the call would be made. `ask`: a person would be asked. `refuse`: it would not be made, because a ' +
          'rule blocks it or because an approval is needed and the workflow asks no person. Null where no workflow is named.',
      }),
    ),
  },
  { $id: 'RulesTested', description: 'What rules say of a call.' },
)
export type RulesTested = Static<typeof RulesTested>

export const UpdatePolicies = StrictObject(optional(fields), {
  $id: 'UpdatePolicies',
  examples: [{ approvals_floor: 'sensitive', mails_a_day: 200 }],
  description: 'The policies to change.',
})
export type UpdatePolicies = Static<typeof UpdatePolicies>

export { Rule } from './rule.ts'
