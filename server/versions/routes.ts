import type { Static, TSchema, TUnsafe } from 'typebox'
import { list, ok } from '../http/answer-shapes.ts'
import { operation, type Operation } from '../http/operation.ts'
import { Version, VersionDiff, ifMatch, toVersion } from './schema.ts'
import type { VersionedResource } from './versioned-resource.ts'
import type { Versioned } from './versions.ts'

interface Shapes<Shown extends TSchema, Definition> {
  shown: Shown
  version: TUnsafe<Version & { definition: Definition }>
  /** What a version refers to, in the description of publishing. */
  mustExist: string
}

/** The operations on the versions of agents or workflows. */
export function versionOperations<
  Shown extends TSchema,
  Definition extends Record<string, unknown>,
>(
  versions: VersionedResource<Static<Shown> & Versioned, Definition>,
  { shown, version, mustExist }: Shapes<Shown, Definition>,
): Operation[] {
  const { noun, plural } = versions
  const one = noun === 'agent' ? 'an agent' : 'a workflow'
  const path = `/v1/${plural}/:id/versions` as const
  return [
    operation({
      id: `${plural}.versions.list`,
      route: `GET ${path}`,
      columns: ['version', 'state', 'created_at', 'author.name as author', 'changed', 'note'],
      cli: { limit: 50 },
      role: 'viewer',
      action: `list versions of ${noun}`,
      summary: `List the versions of ${one}`,
      description:
        `Newest first, 50 a page by default. ${one.replace('a', 'A')} keeps its newest 10,000 versions, up to ` +
        '32 MB of them.',
      answer: list(Version, 'A page of versions.'),
      verb: ({ ctx, params, page }) => versions.list(ctx, params.id, page),
    }),
    operation({
      id: `${plural}.versions.retrieve`,
      route: `GET ${path}/:version`,
      role: 'viewer',
      action: `retrieve version of ${noun}`,
      summary: `Retrieve a version of ${one}`,
      description: 'With its whole definition.',
      answer: ok(version, 'The version.'),
      verb: ({ ctx, params }) => versions.retrieve(ctx, params.id, params.version),
    }),
    operation({
      id: `${plural}.versions.diff`,
      route: `GET ${path}/:version/diff`,
      role: 'viewer',
      action: `compare versions of ${noun}`,
      summary: `Compare two versions of ${one}`,
      description:
        'Field by field, prompts word by word, from this version to another, by default the live one.',
      query: { to: toVersion },
      answer: ok(VersionDiff, 'What differs.'),
      verb: ({ ctx, params, query }) => versions.diff(ctx, params.id, params.version, query.to),
    }),
    operation({
      id: `${plural}.versions.publish`,
      route: `POST ${path}/:version/publish`,
      role: 'member',
      audit: `${noun}.published`,
      action: `publish version of ${noun}`,
      summary: `Publish a version of ${one}`,
      description:
        `Makes a draft or an earlier version live. ${mustExist} must still exist. Accepts \`If-Match\` like an ` +
        'update.',
      headers: ifMatch,
      answer: ok(shown, `The ${noun}'s live version.`),
      etag: 'version',
      verb: ({ ctx, params, headers }) =>
        versions.publish(ctx, params.id, params.version, headers['if-match']),
    }),
  ]
}
