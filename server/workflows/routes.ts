import { created, deleted, list, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { createWorkflow, deleteWorkflow, listWorkflows, retrieveWorkflow } from './workflows.ts'
import { versionOperations } from '../versions/routes.ts'
import { ifMatch } from '../versions/schema.ts'
import * as schema from './schema.ts'
import { workflowVersions, updateWorkflow } from './versions.ts'

export const workflows: Resource = {
  tag: 'Workflows',
  about: 'Crews of agents, in order of execution.',
  ids: { workflows: 'Workflow id.', versions: 'Number of the version.' },
  // `Version` and `VersionDiff` are registered by the agents' routes.
  schemas: schema,
  operations: [
    operation({
      id: 'workflows.list',
      route: 'GET /v1/workflows',
      columns: ['id', 'name', 'status', 'crew.role as crew', 'model', 'updated_at'],
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
      etag: 'version',
      creates: 'wf',
      verb: ({ ctx, reservedId, body }) => createWorkflow(ctx, reservedId, body),
    }),
    operation({
      id: 'workflows.retrieve',
      route: 'GET /v1/workflows/:id',
      role: 'viewer',
      action: 'retrieve workflow',
      summary: 'Retrieve a workflow',
      description: 'The live version, with its crew and warnings.',
      answer: ok(schema.Workflow, 'The workflow.'),
      etag: 'version',
      verb: ({ ctx, params }) => retrieveWorkflow(ctx, params.id),
    }),
    operation({
      id: 'workflows.update',
      route: 'PATCH /v1/workflows/:id',
      role: 'member',
      audit: 'workflow.updated',
      action: 'update workflow',
      summary: 'Update a workflow',
      description:
        'Changes the given fields and creates a version; with `draft`, it does not go live. Runs that have begun ' +
        'keep their version. With `If-Match`, it is refused with 412 if another version has gone live.',
      headers: ifMatch,
      body: schema.UpdateWorkflow,
      answer: ok(schema.Workflow, "The workflow's live version."),
      etag: 'version',
      verb: ({ ctx, params, headers, body }) =>
        updateWorkflow(ctx, params.id, body, headers['if-match']),
    }),
    ...versionOperations(workflowVersions, {
      shown: schema.Workflow,
      version: schema.WorkflowVersion,
      mustExist: 'Its agents and models',
    }),
    operation({
      id: 'workflows.delete',
      route: 'DELETE /v1/workflows/:id',
      role: 'member',
      audit: 'workflow.deleted',
      action: 'delete workflow',
      summary: 'Delete a workflow',
      description: 'Refused while a run is unfinished. Its runs remain readable by id.',
      answer: deleted('The workflow is deleted.'),
      verb: ({ ctx, params }) => deleteWorkflow(ctx, params.id),
    }),
  ],
}
