import type { Database } from '../db/client.ts'
import { openContents } from '../contents/open-contents.ts'
import type { Config } from './config.ts'

/** Why stores of files cannot be used, by name. */
export async function probeStores(
  database: Database,
  { files, egressProxy }: Pick<Config, 'files' | 'egressProxy'>,
): Promise<Map<string, string>> {
  await using contents = openContents(database, files, egressProxy)
  return await contents.probe()
}
