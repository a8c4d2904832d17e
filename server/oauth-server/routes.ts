import { created, deleted, listInMemory, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { createGrant, endGrant, listGrants, previewGrant } from './grants.ts'
import * as schema from './schema.ts'

/** Programs that act for a signed-in person over MCP. `authorization-pages.ts` has the addresses that programs use. */
export const grants: Resource = {
  tag: 'Grants',
  cli: false,
  about: 'Programs that act for the signed-in person over MCP.',
  ids: { grants: 'Grant id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'grants.list',
      route: 'GET /v1/me/grants',
      role: 'viewer',
      action: 'list grants',
      summary: 'List the programs that act for you',
      description: 'In the account of your session.',
      answer: listInMemory(schema.Grant, 'The grants, newest first.'),
      verb: ({ ctx }) => listGrants(ctx),
    }),
    operation({
      id: 'grants.preview',
      route: 'POST /v1/me/grants/preview',
      role: 'viewer',
      readOnly: true,
      action: 'read request for access',
      summary: "Read a program's request for access",
      description: 'For the consent page.',
      body: schema.PreviewGrant,
      answer: ok(schema.GrantRequest, 'The request.'),
      verb: ({ ctx, body }) => previewGrant(ctx, body.request),
    }),
    operation({
      id: 'grants.create',
      route: 'POST /v1/me/grants',
      role: 'viewer',
      audit: 'grant.created',
      action: 'give access',
      summary: 'Give a program access',
      description:
        'For the consent page. The program acts in your name, within your role, and only over MCP.',
      body: schema.CreateGrant,
      answer: created(schema.CreatedGrant, 'The grant.'),
      answersSecret: true,
      creates: 'grn',
      verb: ({ ctx, reservedId, body }) => createGrant(ctx, reservedId, body),
    }),
    operation({
      id: 'grants.delete',
      route: 'DELETE /v1/me/grants/:id',
      role: 'viewer',
      audit: 'grant.deleted',
      action: 'end grant',
      summary: 'End the access of a program',
      description: 'Its tokens no longer work.',
      answer: deleted('The program has no access any more.'),
      verb: ({ ctx, params }) => endGrant(ctx, params.id),
    }),
  ],
}
