import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it; false where it is there already. Node's own `recursive` never ends where a
 * parent that is there answers ENOENT, as `/proc` does (seen with 26.10).
 */
export async function makeFolder(path: string, mode?: number): Promise<boolean> {
  // Looked at before the try: another process may make the parent meanwhile.
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
