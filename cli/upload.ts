import { basename } from 'node:path'
import type { Muster, StoredFile } from '../sdk/index.ts'
import { usageError } from './failure.ts'
import { size } from './format.ts'
import { clean, type Output } from './output.ts'
import { readBytes } from './read-text.ts'

/** The service's limit. */
const maxBytes = 32 * 1024 * 1024
const maxFiles = 20

/** Uploads a file, or stdin for `-`, under its own or another name. */
export async function upload(muster: Muster, path: string, name?: string): Promise<StoredFile> {
  const content = await readBytes(path, maxBytes)
  return muster.files.upload(content, { name: name ?? (path === '-' ? 'stdin' : basename(path)) })
}

/** File ids for a run, of existing files and of files that are uploaded now. */
export async function uploadAll(
  muster: Muster,
  out: Output,
  paths: string[] | undefined,
  most = maxFiles,
): Promise<string[] | undefined> {
  if (paths === undefined) return undefined
  if (paths.length > most) {
    throw usageError(`Cannot run workflow: ${paths.length} files, at most ${most}`)
  }
  const ids: string[] = []
  for (const path of paths) {
    if (/^file_[0-9a-z]{26}$/.test(path)) {
      ids.push(path)
      continue
    }
    const file = await upload(muster, path)
    out.note(`Uploaded ${clean(file.name)} (${size(file.bytes)}) as ${file.id}.`)
    ids.push(file.id)
  }
  return ids
}
