import Type, { type Static, type TSchema, type TArray } from 'typebox'
import {
  Nullable,
  NullableTimestamp,
  optional,
  StrictObject,
  StringEnum,
  NullableObject,
  Ref,
} from '../wire-types.ts'
import { ruleDecisions, type Rule as RuleOfRun } from '../engine/run/definition.ts'

/** A rule in the API, for policies, agents and crew entries. */
export const Rule = StrictObject(
  {
    action: Type.String({
      maxLength: 200,
      pattern: '^(\\*|[^.\\s*]+\\.(\\*|[^\\s*]+))$',
      description: 'An action such as `email.send`, all of a connector, `slack.*`, or all, `*`.',
    }),
    when: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 2_000,
          description:
            'A CEL condition: `args.amount <= 100.0`. It sees `args`, `action`, `agent.id`, `agent.role`, `workflow.id`, ' +
            '`run.id` and `run.tags`. A call on which it fails is asked about. Null for every call.',
        }),
      ),
    ),
    decision: StringEnum(ruleDecisions, {
      description:
        '`allow` makes the call without asking, unless `approvals_floor` wants a person; `ask` asks a person; `block` ' +
        'refuses the call.',
    }),
    fixed: Type.Optional(
      NullableObject(
        'Arguments that the rule sets, by name: `{"channel": "#ops"}`. Models are not shown them, and neither they nor an ' +
          'edit can set another value. They hold for every call of the action, whichever rule decides. With `fixed`, ' +
          '`when` may name `agent`, `workflow` and `run` alone. A call of an action without such an argument is asked about.',
      ),
    ),
    reason: Type.Optional(
      Nullable(Type.String({ maxLength: 500, description: 'Why, for people and agents.' })),
    ),
    expires_at: Type.Optional(
      Nullable(
        Type.String({
          format: 'date-time',
          description: 'The rule counts until then; null for ever.',
        }),
      ),
    ),
  },
  { $id: 'Rule', description: 'A rule about calls of agents.' },
)
export type Rule = RuleOfRun

export const maxRules = 50

export function Rules(description: string): TArray<ReturnType<typeof ruleRef>> {
  return Type.Array(ruleRef(), { maxItems: maxRules, description })
}

function ruleRef() {
  return Type.Unsafe<Rule>(Ref(Rule))
}

const fields = {
  approvals_floor: StringEnum(['none', 'sensitive', 'all'] as const, {
    description:
      'The minimum that needs approval, whatever a workflow says. The stricter of the two applies.',
  }),
  four_eyes: Type.Boolean({
    description:
      'The user or key that triggered a run may not approve its actions, nor may who is behind the schedule, hook, ' +
      'mailbox or batch that did.',
  }),
  require_pending_id: Type.Boolean({
    description: 'An answer to a run must name its request in `pending_id`.',
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
      'Hosts that `web.fetch` may reach without approval, in lower case: `docs.example.com`, or `*.example.com` ' +
      'for all names below. An empty list means none. null means any host; an address that only an agent wrote ' +
      'then waits for approval once its run has read private data.',
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
    "Rules about agents' calls, in order: the first match decides instead of the workflow's `approvals`. " +
      '`approvals_floor` cannot be lowered.',
  ),
  mails_a_day: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Maximum emails that agents may send per day (UTC); null sets no limit.',
    }),
  ),
} satisfies Record<string, TSchema>

export const Policies = Type.Object(
  { ...fields, updated_at: NullableTimestamp('When they were last changed; null if never.') },
  { $id: 'Policies', description: 'Settings that apply to all workflows of the account.' },
)
export type Policies = Static<typeof Policies>

export const UpdatePolicies = StrictObject(optional(fields), {
  $id: 'UpdatePolicies',
  examples: [{ approvals_floor: 'sensitive', mails_a_day: 200 }],
  description: 'The policies to update.',
})
export type UpdatePolicies = Static<typeof UpdatePolicies>
