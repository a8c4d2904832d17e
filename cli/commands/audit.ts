import type { Command } from 'commander'
import { connect } from '../connection.ts'
import { shortTime } from '../format.ts'
import { limited, take, type Limited } from '../limit.ts'
import { table, type Output } from '../output.ts'

interface AuditOptions extends Limited {
  actor?: string
  action?: string
  object?: string
  after?: string
  before?: string
}

export function addAudit(program: Command, output: () => Output): void {
  const audit = program
    .command('audit')
    .description('list who changed what, newest first (needs an admin key)')
    .option('--actor <id>', 'only changes by this key or user')
    .option('--action <action>', 'only changes of this kind, such as workflow.updated')
    .option('--object <id>', 'only changes of this object')
    .option('--after <time>', 'only later changes, such as 2026-11-01T00:00:00Z')
    .option('--before <time>', 'only earlier changes')

  limited(audit, 50).action(async (options: AuditOptions, command: Command) => {
    const { actor, action, object, after, before } = options
    const filter = {
      ...(actor === undefined ? {} : { actor_id: actor }),
      ...(action === undefined ? {} : { action }),
      ...(object === undefined ? {} : { object_id: object }),
      ...(after === undefined ? {} : { created_after: after }),
      ...(before === undefined ? {} : { created_before: before }),
    }
    const muster = await connect(command)
    const entries = await take(options, (page) => muster.audit.list({ ...page, ...filter }))
    output().result(entries, () =>
      table(
        ['TIME', 'BY', 'ACTION', 'OBJECT', 'FIELDS'],
        entries.map((entry) => [
          shortTime(entry.created_at),
          entry.actor.name,
          entry.action,
          entry.object.id,
          Object.keys(entry.after ?? entry.before ?? {}).join(', '),
        ]),
      ),
    )
  })
}
