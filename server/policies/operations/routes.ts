import { ok } from '../../http/answer.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { readPolicies } from '../read.ts'
import * as schema from '../schema.ts'
import { testRules } from './try-call.ts'
import { updatePolicies } from './update.ts'

export const policies: Resource = {
  tag: 'Policies',
  about: 'What holds for all workflows of the account.',
  schemas: schema,
  operations: [
    operation({
      id: 'policies.retrieve',
      route: 'GET /v1/policies',
      role: 'admin',
      action: 'retrieve policies',
      summary: 'Retrieve the policies of the account',
      answer: ok(schema.Policies, 'What holds for all workflows of the account.'),
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
      body: schema.UpdatePolicies,
      answer: ok(schema.Policies, 'The changed policies.'),
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
  ],
}
