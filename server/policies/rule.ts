import Type, { type TArray } from 'typebox'
import { ruleDecisions, type Rule as RuleOfRun } from '../engine/run/rule.ts'
import { Nullable, NullableObject, Ref, StrictObject, StringEnum } from '../wire-types.ts'

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
