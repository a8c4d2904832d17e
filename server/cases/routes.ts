import { created, list, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { assignCase, retrieveCase } from './cases.ts'
import { addComment, listComments } from './comments.ts'
import * as schema from './schema.ts'

export const cases: Resource = {
  tag: 'Runs',
  ids: { pending: 'Id of the request, `pending_id`.' },
  schemas: schema,
  operations: [
    operation({
      id: 'pending.retrieve',
      route: 'GET /v1/pending/:id',
      cli: { command: 'pending show' },
      role: 'viewer',
      action: 'retrieve pending request',
      summary: 'Retrieve a waiting request',
      description: 'With its assignee, notifications and failed deliveries.',
      answer: ok(schema.Case, 'The request.'),
      verb: ({ ctx, params }) => retrieveCase(ctx, params.id),
    }),
    operation({
      id: 'pending.assign',
      route: 'PUT /v1/pending/:id/assignee',
      cli: { command: 'pending assign', args: ['user_id?'] },
      role: 'approver',
      audit: 'pending.assigned',
      action: 'assign pending request',
      summary: 'Assign a request to a person',
      description:
        'Other approvers can still answer. The assignee is notified by email if an email channel covers the ' +
        'workflow.',
      body: schema.AssignCase,
      answer: ok(schema.Case, 'The request.'),
      verb: ({ ctx, params, body }) => assignCase(ctx, params.id, body),
    }),
    operation({
      id: 'pending.comments',
      route: 'GET /v1/pending/:id/comments',
      cli: { command: 'pending comments', limit: 50 },
      columns: ['created_at', 'author.name as author', 'text'],
      role: 'viewer',
      action: 'list comments',
      summary: 'List the comments on a request',
      description:
        'Newest first; the 50 most recent by default. Also available once the request is decided.',
      answer: list(schema.Comment, 'A page of comments.'),
      verb: ({ ctx, params, page }) => listComments(ctx, params.id, page),
    }),
    operation({
      id: 'pending.comment',
      route: 'POST /v1/pending/:id/comments',
      cli: { command: 'pending comment', args: ['text'] },
      role: 'approver',
      audit: 'pending.commented',
      action: 'comment on pending request',
      summary: 'Comment on a request',
      description: 'For other people: agents do not see it, and it does not answer the request.',
      body: schema.CreateComment,
      answer: created(schema.Comment, 'The comment.'),
      creates: 'cmt',
      verb: ({ ctx, params, reservedId, body }) => addComment(ctx, params.id, reservedId, body),
    }),
  ],
}
