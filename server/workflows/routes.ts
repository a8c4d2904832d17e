import { created, deleted, list, ok } from '../http/answer.ts'
import { operation, type Resource } from '../http/operation.ts'
import {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  retrieveWorkflow,
  updateWorkflow,
} from './workflows.ts'
import * as schema from './schema.ts'

export const workflows: Resource = {
  tag: 'Workflows',
  about: 'Crews of agents, in the order in which they work.',
  ids: { workflows: 'Workflow id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'workflows.list',
      route: 'GET /v1/workflows',
      role: 'viewer',
      action: 'list workflows',
      summary: 'List workflows',
      description: 'All of the account, most recently updated first.',
      answer: list(schema.Workflow, 'The workflows.'),
      verb: ({ ctx, page }) => listWorkflows(ctx, page),
    }),
    operation({
      id: 'workflows.create',
      route: 'POST /v1/workflows',
      role: 'member',
      audit: 'workflow.created',
      action: 'create workflow',
      summary: 'Create a workflow',
      description: 'Without `crew` it gets a planner and a writer.',
      body: schema.CreateWorkflow,
      answer: created(schema.CreatedWorkflow, 'The new workflow.'),
      creates: 'wf',
      verb: ({ ctx, reservedId, body }) => createWorkflow(ctx, reservedId, body),
    }),
    operation({
      id: 'workflows.retrieve',
      route: 'GET /v1/workflows/:id',
      role: 'viewer',
      action: 'retrieve workflow',
      summary: 'Retrieve a workflow',
      answer: ok(schema.Workflow, 'The workflow.'),
      verb: ({ ctx, params }) => retrieveWorkflow(ctx, params.id),
    }),
    operation({
      id: 'workflows.update',
      route: 'PATCH /v1/workflows/:id',
      role: 'member',
      audit: 'workflow.updated',
      action: 'update workflow',
      summary: 'Update a workflow',
      description: 'Changes the given fields. Runs that have begun keep what they froze.',
      body: schema.UpdateWorkflow,
      answer: ok(schema.Workflow, 'The changed workflow.'),
      verb: ({ ctx, params, body }) => updateWorkflow(ctx, params.id, body),
    }),
    operation({
      id: 'workflows.delete',
      route: 'DELETE /v1/workflows/:id',
      role: 'member',
      audit: 'workflow.deleted',
      action: 'delete workflow',
      summary: 'Delete a workflow',
      description: 'Refused while a run is not finished. Its runs stay readable by id.',
      answer: deleted('The workflow is deleted.'),
      verb: ({ ctx, params }) => deleteWorkflow(ctx, params.id),
    }),
  ],
}
