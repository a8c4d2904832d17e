import type { RunFile } from '../../sdk/index.ts'
import { exitCodeOf, followAccount, followThrough } from '../follow.ts'
import { size } from '../format.ts'
import { limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { table } from '../output.ts'
import { answerWhileFollowing } from '../pending/answer.ts'
import { RunProgress } from '../run-progress.ts'
import { saveAll, type SaveOptions } from '../save-file.ts'
import { shell } from '../shell.ts'
import { describeTurn } from '../views/runs.ts'

/** What runs have beyond the commands of their operations. */
export function addRuns(program: Verbs): void {
  const { verb } = program.noun('runs')
  verb(
    'turns <run> [step]',
    'show what the model was sent and said in a step, turn by turn; the first step by default',
    ({ muster, options }: Call<Limited>, id = '', order = '0') =>
      take(options, (page) => muster.runs.turns(id, order, page)),
    (turns) => turns.map(describeTurn).join('\n\n'),
  ).option(...limit(50))
  verb(
    'watch [run]',
    'follow a run until it ends, or all that move; with --json its events, one a line, until it ends or waits',
    async ({ muster, out }, id = '') => {
      if (id === '') return followAccount(muster, out)
      const answer = answerWhileFollowing(muster, out)
      const run = await followThrough(muster, id, new RunProgress(out), answer, {
        onEvent: (event) => out.isJson && out.jsonLine(event),
      })
      shell().exitCode = exitCodeOf(run)
    },
  )
  verb(
    'files <run>',
    'list the files that a run wrote, or save them in a folder',
    async (
      { muster, options, out }: Call<{ out?: string } & SaveOptions>,
      id = '',
    ): Promise<Known[]> => {
      const { outputs } = (await muster.runs.retrieve(id)).files
      if (options.out === undefined) return outputs
      return saveAll(muster, out, outputs, { ...options, folder: options.out })
    },
    (found) =>
      table(found, ['id', 'name', 'media_type', 'size'], { size: ({ bytes }) => size(bytes) }),
  )
    .option('--out <folder>', 'save them there, each under its name')
    .option('--force', 'replace files that are there already')
}

type Known = Pick<RunFile, 'id' | 'name' | 'media_type' | 'bytes'>
