import { created, deleted, list, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  retrieveWorkflow,
  updateWorkflow,
} from './workflows.ts'
import { Version, VersionDiff, ifMatch, toVersion } from '../versions/schema.ts'
import * as schema from './schema.ts'
import { workflowVersions } from './versions.ts'

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
    operation({
      id: 'workflows.versions.list',
      route: 'GET /v1/workflows/:id/versions',
      columns: ['version', 'state', 'created_at', 'author.name as author', 'changed', 'note'],
      cli: { limit: 50 },
      role: 'viewer',
      action: 'list versions of workflow',
      summary: 'List the versions of a workflow',
      description:
        'Newest first, 50 a page by default. A workflow keeps its newest 10,000 versions, up to 32 MB of them.',
      answer: list(Version, 'A page of versions.'),
      verb: ({ ctx, params, page }) => workflowVersions.list(ctx, params.id, page),
    }),
    operation({
      id: 'workflows.versions.retrieve',
      route: 'GET /v1/workflows/:id/versions/:version',
      role: 'viewer',
      action: 'retrieve version of workflow',
      summary: 'Retrieve a version of a workflow',
      description: 'With its whole definition.',
      answer: ok(schema.WorkflowVersion, 'The version.'),
      verb: ({ ctx, params }) => workflowVersions.retrieve(ctx, params.id, params.version),
    }),
    operation({
      id: 'workflows.versions.diff',
      route: 'GET /v1/workflows/:id/versions/:version/diff',
      role: 'viewer',
      action: 'compare versions of workflow',
      summary: 'Compare two versions of a workflow',
      description:
        'Field by field, prompts word by word, from this version to another, by default the live one.',
      query: { to: toVersion },
      answer: ok(VersionDiff, 'What differs.'),
      verb: ({ ctx, params, query }) =>
        workflowVersions.diff(ctx, params.id, params.version, query.to),
    }),
    operation({
      id: 'workflows.versions.publish',
      route: 'POST /v1/workflows/:id/versions/:version/publish',
      role: 'member',
      audit: 'workflow.published',
      action: 'publish version of workflow',
      summary: 'Publish a version of a workflow',
      description:
        'Makes a draft or an earlier version live. Its agents and models must still exist. Accepts `If-Match` ' +
        'like an update.',
      headers: ifMatch,
      answer: ok(schema.Workflow, "The workflow's live version."),
      etag: 'version',
      verb: ({ ctx, params, headers }) =>
        workflowVersions.publish(ctx, params.id, params.version, headers['if-match']),
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
