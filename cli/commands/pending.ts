import { shortTime } from '../format.ts'
import { limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { oneLine, table } from '../output.ts'

export function addPending({ verb }: Verbs): void {
  verb(
    'pending',
    'list what waits for a human, oldest first; answer with muster respond',
    ({ muster, options }: Call<Limited>) => take(options, (page) => muster.pending.list(page)),
    (found) =>
      table(
        found,
        ['run_id', 'workflow', 'role', 'kind', 'prompt', 'waiting since', 'expires'],
        {
          workflow: ({ workflow_name: name }) => oneLine(name, 30),
          role: ({ pending }) => oneLine(pending.role, 30),
          kind: ({ pending }) => pending.kind,
          prompt: ({ pending }) => pending.prompt,
          'waiting since': ({ pending }) => shortTime(pending.created_at),
          expires: ({ pending: { expires_at: at } }) => at && shortTime(at),
        },
        'never',
      ),
  ).option(...limit(50))
}
