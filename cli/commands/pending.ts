import type { Command } from 'commander'
import { shortTime } from '../format.ts'
import { limited, take, type Limited } from '../limit.ts'
import { verbsOf, type Call } from '../noun.ts'
import { oneLine, table, type Output } from '../output.ts'

export function addPending(program: Command, output: () => Output): void {
  limited(
    verbsOf(program, output)(
      'pending',
      'list what waits for a human, oldest first; answer with muster respond',
      ({ muster, options }: Call<Limited>) => take(options, (page) => muster.pending.list(page)),
      (found) =>
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
    ),
    50,
  )
}
