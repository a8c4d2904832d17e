import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents; false if it exists. Node's own `recursive` never ends if an
 * existing parent answers ENOENT, as `/proc` does (seen with 26.10).
 */
export async function makeFolder(path: string, mode?: number): Promise<boolean> {
  // Checked before the try, because another process may create the parent meanwhile.
  const hasParent = existsSync(dirname(path))
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    if ((await stat(path).catch(() => undefined))?.isDirectory() === true) return false
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || hasParent) throw error
  }
  await makeFolder(dirname(path))
  return makeFolder(path, mode)
}
