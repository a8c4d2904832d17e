import type { Database } from '../../db/client.ts'
import type { RunKey } from '../../engine/run/run.ts'
import { readRunFiles, type RunFile } from '../../engine/journal/files.ts'

/** Files that a step can use: its run's, and those that earlier steps wrote. */
export async function readStepFiles(
  database: Database,
  run: RunKey,
  position: number,
): Promise<RunFile[]> {
  const files = await readRunFiles(database, run)
  return files.filter(({ step_position: by }) => by === null || by < position)
}
