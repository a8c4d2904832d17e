import type { Command } from 'commander'
import { connect } from '../connection.ts'
import { shortTime } from '../format.ts'
import { pageSize, take, toLimit } from '../limit.ts'
import { oneLine, table, type Output } from '../output.ts'

export function addPending(program: Command, output: () => Output): void {
  program
    .command('pending')
    .description('list what waits for a human, oldest first; answer with muster respond')
    .option('--limit <number>', 'at most so many, 1 to 1000', toLimit, 50)
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const muster = await connect(command)
      const found = await take(await muster.pending.list({ limit: pageSize(limit) }), limit)
      output().result(found, () =>
        table(
          ['RUN', 'WORKFLOW', 'ROLE', 'KIND', 'PROMPT', 'WAITING SINCE', 'EXPIRES'],
          found.map(({ run_id: runId, workflow_name: workflow, pending }) => [
            runId,
            oneLine(workflow, 30),
            oneLine(pending.role, 30),
            pending.kind,
            oneLine(pending.prompt),
            shortTime(pending.created_at),
            pending.expires_at === null ? 'never' : shortTime(pending.expires_at),
          ]),
        ),
      )
    })
}
