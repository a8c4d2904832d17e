import Type, { type Static, type TSchema } from 'typebox'
import { Rules } from './rule.ts'
import { Nullable, NullableTimestamp, optional, StrictObject, StringEnum } from '../wire-types.ts'

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

export const UpdatePolicies = StrictObject(optional(fields), {
  $id: 'UpdatePolicies',
  examples: [{ approvals_floor: 'sensitive', mails_a_day: 200 }],
  description: 'The policies to change.',
})
export type UpdatePolicies = Static<typeof UpdatePolicies>
