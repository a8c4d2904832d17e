import { shortTime } from '../format.ts'
import { given, limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { table } from '../output.ts'

type AuditOptions = Limited &
  Partial<Record<'actor' | 'action' | 'object' | 'after' | 'before', string>>

export function addAudit({ verb }: Verbs): void {
  verb(
    'audit',
    'list who changed what, newest first (needs an admin key)',
    ({ muster, options }: Call<AuditOptions>) => {
      const { actor, action, object, after, before } = options
      const filter = given({
        actor_id: actor,
        action,
        object_id: object,
        created_after: after,
        created_before: before,
      })
      return take(options, (page) => muster.audit.list({ ...page, ...filter }))
    },
    (entries) =>
      table(entries, ['time', 'by', 'action', 'object', 'fields'], {
        time: (entry) => shortTime(entry.created_at),
        by: (entry) => entry.actor.name,
        object: (entry) => entry.object.id,
        fields: (entry) => Object.keys(entry.after ?? entry.before ?? {}).join(', '),
      }),
  )
    .option('--actor <id>', 'only changes by this key or user')
    .option('--action <action>', 'only changes of this kind, such as workflow.updated')
    .option('--object <id>', 'only changes of this object')
    .option('--after <time>', 'only later changes, such as 2026-11-01T00:00:00Z')
    .option('--before <time>', 'only earlier changes')
    .option(...limit(50))
}
