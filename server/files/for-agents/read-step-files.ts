import type { Database } from '../../db/client.ts'
import type { RunKey } from '../../engine/run/run.ts'
import { readRunFiles, type RunFile } from '../../engine/journal/files.ts'

/** What a step is told of: the files of its run, and those that the steps before it wrote. */
export async function readStepFiles(
  database: Database,
  run: RunKey,
  position: number,
): Promise<RunFile[]> {
  const files = await readRunFiles(database, run)
  return files.filter(({ step_position: by }) => by === null || by < position)
}
