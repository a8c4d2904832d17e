import { ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { readPolicies } from '../read.ts'
import * as policySchema from '../schema.ts'
import { addRule, removeRule, updatePolicies } from './change-policies.ts'
import * as schema from './schema.ts'
import { proposeForWaiting } from './propose.ts'
import { listSuggestions } from './suggestions.ts'
import { testRules } from './try-call.ts'
import { tryRules } from './try-decisions.ts'

export const policies: Resource = {
  tag: 'Policies',
  about: 'Settings that apply to all workflows of the account.',
  schemas: { ...policySchema, ...schema },
  operations: [
    operation({
      id: 'policies.retrieve',
      route: 'GET /v1/policies',
      role: 'admin',
      action: 'retrieve policies',
      summary: 'Retrieve the policies of the account',
      description: 'What the agents of the account may do.',
      answer: ok(policySchema.Policies, 'Settings that apply to all workflows of the account.'),
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
      description: 'Changes the given policies at once, including for runs that have begun.',
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
        'Shows how the rules of all levels decide about a described or waiting call, and which rule decides. ' +
        'Nothing is called or stored.',
      body: schema.TestRules,
      answer: ok(schema.RulesTested, 'The result.'),
      verb: ({ ctx, body }) => testRules(ctx, body),
    }),
    operation({
      id: 'rules.try',
      route: 'POST /v1/rules/try',
      role: 'member',
      readOnly: true,
      action: 'try rules',
      summary: 'Test rules on past decisions',
      description:
        'Applies rules to the last 100 calls of their actions that people decided. Nothing is called or stored. ' +
        'Rules of agents and crew entries apply as they were in those runs.',
      body: schema.TryRules,
      answer: ok(schema.RulesTried, 'The results.'),
      verb: ({ ctx, body }) => tryRules(ctx, body),
    }),
    operation({
      id: 'rules.add',
      route: 'POST /v1/rules',
      role: 'admin',
      audit: 'rule.added',
      action: 'add rule',
      summary: 'Add a rule to the account',
      description:
        'It is appended, so earlier rules take precedence. Without `expires_at` it expires after 90 days; null ' +
        'means never.',
      body: schema.AddRule,
      answer: ok(schema.RuleChanged, 'The added rule.'),
      verb: ({ ctx, body }) => addRule(ctx, body),
    }),
    operation({
      id: 'rules.remove',
      route: 'POST /v1/rules/remove',
      role: 'admin',
      audit: 'rule.removed',
      action: 'remove rule',
      summary: 'Remove a rule from the account',
      description: 'Removes the first rule equal to the given one. Undoes `POST /v1/rules`.',
      body: schema.AddRule,
      answer: ok(schema.RuleChanged, 'The removed rule.'),
      verb: ({ ctx, body }) => removeRule(ctx, body),
    }),
    operation({
      id: 'rules.suggestions',
      route: 'GET /v1/rules/suggestions',
      role: 'admin',
      large: true,
      action: 'list rule suggestions',
      summary: 'List suggested rules',
      description:
        'For each action that people approved unchanged at least 20 times in a row, the narrowest rule that ' +
        'allows it, with the decisions as evidence. `POST /v1/rules` accepts one.',
      answer: ok(schema.RuleSuggestions, 'The suggestions, by action.'),
      cli: { command: 'rules suggestions' },
      verb: ({ ctx }) => listSuggestions(ctx),
    }),
    operation({
      id: 'rules.propose',
      route: 'POST /v1/rules/propose',
      role: 'admin',
      readOnly: true,
      large: true,
      action: 'propose rule',
      summary: 'Propose a rule for a waiting call',
      description:
        'A rule that allows calls like the one that waits: with the same names of arguments, in the same workflow and ' +
        'role. Where the last 200 decisions about the action have approvals of such calls, an argument may have what ' +
        'recurs in them: the same value, addresses at the same domain, a range of numbers, or one of up to 10 values; ' +
        'prose, such as `text`, may be anything. Nothing is stored: `POST /v1/rules` adds a rule.',
      body: schema.ProposeRule,
      answer: ok(schema.RuleProposal, 'The proposal.'),
      verb: ({ ctx, body }) => proposeForWaiting(ctx, body),
    }),
  ],
}
