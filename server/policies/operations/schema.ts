import Type, { type Static } from 'typebox'
import { ruleLevels } from '../../engine/run/definition.ts'
import { DecidingRule } from '../../engine/wire/step.ts'
import {
  Nullable,
  NullableText,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../../wire-types.ts'
import { Rule, Rules } from '../schema.ts'

export { Rule }

const triedRules = {
  rules: Type.Optional(
    Rules('Rules to test instead of those of `level`; the current ones by default.'),
  ),
  level: Type.Optional(
    StringEnum(ruleLevels, { description: 'The level of these rules; `account` by default.' }),
  ),
}

export const TestRules = StrictObject(
  {
    ...triedRules,
    pending_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'A call that waits for approval, instead of a described one.',
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
            Text(100, "A standing agent whose rules apply; by default the crew entry's."),
          ),
          role: Type.Optional(
            Type.String({ maxLength: 100, description: "Its role; by default the agent's." }),
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
        description: 'Position of the crew entry whose rules apply, from 0.',
      }),
    ),
    tags: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 16,
        propertyNames: { type: 'string', maxLength: 40, description: 'A key.' },
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
    description: 'A call, and the rules to test on it.',
  },
)
export type TestRules = Static<typeof TestRules>

const decidingRule = Type.Unsafe<DecidingRule | null>({
  anyOf: [Ref(DecidingRule), { type: 'null' }],
  description: 'The rule that decides; null if none matches and the workflow decides.',
})

const outcome = Nullable(
  StringEnum(['execute', 'ask', 'refuse'] as const, {
    description:
      '`execute`: the call would be made. `ask`: a person would be asked. `refuse`: it would not be made, ' +
      "because a rule blocks it, or because it needs approval and the workflow's runs may not pause. Null " +
      'without a workflow.',
  }),
)

export const RulesTested = Type.Object(
  {
    rule: decidingRule,
    args: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The arguments, including those set by rules.',
    }),
    outcome,
  },
  { $id: 'RulesTested', description: 'How rules decide about a call.' },
)
export type RulesTested = Static<typeof RulesTested>

export const AddRule = StrictObject(
  { rule: Type.Unsafe<Rule>(Ref(Rule)) },
  {
    $id: 'AddRule',
    examples: [
      { rule: { action: 'email.send', when: 'args.to == "ada@acme.com"', decision: 'allow' } },
    ],
    description: 'A rule of the account.',
  },
)
export type AddRule = Static<typeof AddRule>

export const TryRules = StrictObject(
  {
    rules: Rules('Rules to test instead of those of `level`.'),
    level: triedRules.level,
    agent_id: Type.Optional(
      Text(100, 'With `level` `agent`: the agent; only decisions about its calls are used.'),
    ),
    workflow_id: Type.Optional(
      Text(100, 'With `level` `crew_entry`: the workflow; only decisions in its runs are used.'),
    ),
    order: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 9,
        description: 'With `level` `crew_entry`: position of the entry in the crew, from 0.',
      }),
    ),
  },
  {
    $id: 'TryRules',
    examples: [{ rules: [{ action: 'email.*', decision: 'allow' }] }],
    description: 'Rules to test on past decisions.',
  },
)
export type TryRules = Static<typeof TryRules>

const decisionFields = {
  run_id: Type.String({ description: 'The run.' }),
  call_id: Type.String({ description: 'The call.' }),
  decided_at: Timestamp('When it was decided.'),
  decided_by: NullableText('API key or user that decided; null if the request expired.'),
  decider: NullableText('Their name at that time.'),
}

const TriedDecision = Type.Object(
  {
    ...decisionFields,
    action: Type.String({ description: 'The action.' }),
    summary: Type.String({ description: 'A one-line summary of the call.' }),
    decision: StringEnum(['approved', 'edited', 'rejected', 'expired'] as const, {
      description: 'The decision.',
    }),
    outcome: StringEnum(['allow', 'ask', 'block'] as const, {
      description: 'The result for the call with these rules and the `approvals_floor`.',
    }),
    rule: decidingRule,
  },
  { description: 'A past decision, and the result with the tested rules.' },
)

export const RulesTried = Type.Object(
  {
    allowed: Type.Integer({ description: 'Calls that would have been made without approval.' }),
    asked: Type.Integer({ description: 'Calls that would have needed approval.' }),
    blocked: Type.Integer({ description: 'Calls that would have been refused.' }),
    rejected_allowed: Type.Integer({
      description: 'Calls that a person rejected or edited, but that would have been made.',
    }),
    decisions: Type.Array(TriedDecision, { description: 'All tested calls, newest first.' }),
  },
  {
    $id: 'RulesTried',
    description: 'The results of rules for the last 100 decided calls of their actions.',
  },
)
export type RulesTried = Static<typeof RulesTried>

export const RuleSuggestion = Type.Object(
  {
    rule: Type.Unsafe<Rule>(Ref(Rule)),
    count: Type.Integer({ description: 'Number of decisions it is based on.' }),
    first_decided_at: Timestamp('When the first of them was made.'),
    last_decided_at: Timestamp('When the last of them was made.'),
    decisions: Type.Array(Type.Object(decisionFields, { description: 'An approval.' }), {
      description: 'The approvals it is based on, newest first.',
    }),
  },
  {
    $id: 'RuleSuggestion',
    description:
      'A rule that would allow calls that people approved many times in a row, with the evidence.',
  },
)
export type RuleSuggestion = Static<typeof RuleSuggestion>

export const RuleSuggestions = Type.Object(
  { suggestions: Type.Array(Ref(RuleSuggestion), { description: 'One for each action.' }) },
  { $id: 'RuleSuggestions', description: 'Rules suggested by past decisions.' },
)

export const ProposeRule = StrictObject(
  { pending_id: Type.String({ maxLength: 100, description: 'The call that waits for approval.' }) },
  {
    $id: 'ProposeRule',
    examples: [{ pending_id: 'pnd_0h3k5m7p9r1t3v5x' }],
    description: 'A call that a rule should allow.',
  },
)
export type ProposeRule = Static<typeof ProposeRule>

export const RuleProposal = Type.Object(
  {
    rule: Type.Unsafe<Rule>(Ref(Rule)),
    outcome,
    count: Type.Integer({
      description: 'Number of earlier approvals that it would have made unnecessary; may be 0.',
    }),
    rejected_allowed: Type.Integer({
      description: 'Calls that a person rejected or edited, but that it would have allowed.',
    }),
    decisions: Type.Array(Type.Object(decisionFields, { description: 'An approval.' }), {
      description: 'These approvals, newest first.',
    }),
  },
  {
    $id: 'RuleProposal',
    description: 'A rule that allows calls like one that waits, made of what recurs in past calls.',
  },
)
export type RuleProposal = Static<typeof RuleProposal>

export const RuleChanged = Type.Object(
  { rule: Type.Unsafe<Rule>(Ref(Rule)) },
  { $id: 'RuleChanged', description: 'A rule of the account that was added or removed.' },
)
export type RuleChanged = Static<typeof RuleChanged>
