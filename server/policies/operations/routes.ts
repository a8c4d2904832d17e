import { ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { readPolicies } from '../read.ts'
import * as policySchema from '../schema.ts'
import { addRule, removeRule, updatePolicies } from './change-policies.ts'
import * as schema from './schema.ts'
import { listSuggestions } from './suggestions.ts'
import { testRules } from './try-call.ts'
import { tryRules } from './try-decisions.ts'

export const policies: Resource = {
  tag: 'Policies',
  about: 'What holds for all workflows of the account.',
  schemas: { ...policySchema, ...schema },
  operations: [
    operation({
      id: 'policies.retrieve',
      route: 'GET /v1/policies',
      role: 'admin',
      action: 'retrieve policies',
      summary: 'Retrieve the policies of the account',
      answer: ok(policySchema.Policies, 'What holds for all workflows of the account.'),
      verb: ({ ctx }) => readPolicies(ctx.database, ctx.accountId),
    }),
    operation({
      id: 'policies.update',
      route: 'PATCH /v1/policies',
      cli: {
        command: 'policies set',
        options: { web_fetch_hosts: 'web-fetch-hosts', sensitive_actions: 'sensitive-actions' },
      },
      role: 'admin',
      audit: 'policies.updated',
      action: 'update policies',
      summary: 'Update the policies of the account',
      description: 'Changes the given ones, at once, also for runs that have begun.',
      body: policySchema.UpdatePolicies,
      answer: ok(policySchema.Policies, 'The changed policies.'),
      verb: ({ ctx, body }) => updatePolicies(ctx, body),
    }),
    operation({
      id: 'rules.test',
      route: 'POST /v1/rules/test',
      role: 'member',
      readOnly: true,
      action: 'test rules',
      summary: 'Test rules on a call',
      description:
        'Says what rules of all levels make of a call that is described, or of one that waits for approval, and which rule ' +
        'decides. Nothing is called or stored.',
      body: schema.TestRules,
      answer: ok(schema.RulesTested, 'What they say.'),
      verb: ({ ctx, body }) => testRules(ctx, body),
    }),
    operation({
      id: 'rules.try',
      route: 'POST /v1/rules/try',
      role: 'member',
      readOnly: true,
      action: 'try rules',
      summary: 'Try rules on what people decided',
      description:
        'Says what rules would have made of the last 100 calls of their actions that people decided. Nothing is called or ' +
        'stored. The rules of agents and crew entries count as their runs froze them.',
      body: schema.TryRules,
      answer: ok(schema.RulesTried, 'What would have become of them.'),
      verb: ({ ctx, body }) => tryRules(ctx, body),
    }),
    operation({
      id: 'rules.add',
      route: 'POST /v1/rules',
      role: 'admin',
      audit: 'rule.added',
      action: 'add rule',
      summary: 'Add a rule to those of the account',
      description:
        'It comes last, so the rules before it go first. Without `expires_at` it ends after 90 days; null is for ever.',
      body: schema.AddRule,
      answer: ok(schema.RuleChanged, 'The rule as it was added.'),
      verb: ({ ctx, body }) => addRule(ctx, body),
    }),
    operation({
      id: 'rules.remove',
      route: 'POST /v1/rules/remove',
      role: 'admin',
      audit: 'rule.removed',
      action: 'remove rule',
      summary: 'Remove a rule from those of the account',
      description: 'The first rule that is the same as the given one. Undoes `POST /v1/rules`.',
      body: schema.AddRule,
      answer: ok(schema.RuleChanged, 'The rule that was removed.'),
      verb: ({ ctx, body }) => removeRule(ctx, body),
    }),
    operation({
      id: 'rules.suggestions',
      route: 'GET /v1/rules/suggestions',
      role: 'admin',
      large: true,
      action: 'list rule suggestions',
      summary: 'List rules that decisions suggest',
      description:
        'Where people approved an action unchanged at least 20 times in a row, the narrowest rule that allows it, with the ' +
        'decisions as evidence. `POST /v1/rules` accepts one.',
      answer: ok(schema.RuleSuggestions, 'The suggestions, by action.'),
      cli: { command: 'rules suggestions' },
      verb: ({ ctx }) => listSuggestions(ctx),
    }),
  ],
}
