import type { Command } from 'commander'
import { connect } from '../connection.ts'
import { shortTime } from '../format.ts'
import { pageSize, take, toLimit } from '../limit.ts'
import { table, type Output } from '../output.ts'

interface AuditOptions {
  actor?: string
  action?: string
  object?: string
  after?: string
  before?: string
  limit: number
}

export function addAudit(program: Command, output: () => Output): void {
  program
    .command('audit')
    .description('list who changed what, newest first (needs an admin key)')
    .option('--actor <id>', 'only changes by this key or user')
    .option('--action <action>', 'only changes of this kind, such as workflow.updated')
    .option('--object <id>', 'only changes of this object')
    .option('--after <time>', 'only later changes, such as 2026-11-01T00:00:00Z')
    .option('--before <time>', 'only earlier changes')
    .option('--limit <n>', 'number of changes', toLimit, 50)
    .action(async (options: AuditOptions, command: Command) => {
      const { actor, action, object, after, before, limit } = options
      const muster = await connect(command)
      const page = await muster.audit.list({
        limit: pageSize(limit),
        ...(actor === undefined ? {} : { actor_id: actor }),
        ...(action === undefined ? {} : { action }),
        ...(object === undefined ? {} : { object_id: object }),
        ...(after === undefined ? {} : { created_after: after }),
        ...(before === undefined ? {} : { created_before: before }),
      })
      const entries = await take(page, limit)
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
