import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Muster, RunFile, StoredFile } from '../sdk/index.ts'
import { makeFolder } from '../server/make-folder.ts'
import { exitCodes } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'
import { clean, type Output } from './output.ts'
import { shell } from './shell.ts'

/** Saves the service's files to disk: under safe names inside the chosen folder, and atomically. */
export interface SaveOptions {
  /** Replaces an existing file. */
  force?: true
}

export interface Saved extends Pick<StoredFile, 'id' | 'name' | 'media_type' | 'bytes'> {
  path: string
}

/** Saves a file at a path, or stdout for `-`; by default in this folder under its own name. */
export async function saveFile(
  muster: Muster,
  id: string,
  { out, ...options }: SaveOptions & { out?: string },
): Promise<Saved | undefined> {
  const file = await muster.files.retrieve(id)
  if (out === '-') {
    await pipeline(await contentOf(muster, file), shell().stdout, { end: false })
    return undefined
  }
  return save(muster, file, resolve(shell().cwd(), out ?? safeName(file.name)), options)
}

/** Saves files in a folder, which is created if missing; files of the same name get a number. */
export async function saveAll(
  muster: Muster,
  out: Output,
  files: RunFile[],
  { folder, ...options }: SaveOptions & { folder: string },
): Promise<Saved[]> {
  const inside = resolve(shell().cwd(), folder)
  await makeFolder(inside).catch((error: unknown) => {
    throw cannotWrite(inside, error)
  })
  const taken = new Set<string>()
  const saved: Saved[] = []
  for (const { id, name, deleted } of files) {
    if (deleted) {
      out.note(`${clean(name)} is deleted.`)
      continue
    }
    const free = freeName(safeName(name), taken)
    taken.add(free.toLowerCase())
    saved.push(await save(muster, await muster.files.retrieve(id), join(inside, free), options))
  }
  return saved
}

async function save(
  muster: Muster,
  file: StoredFile,
  path: string,
  { force }: SaveOptions,
): Promise<Saved> {
  // Checked before anything is sent; links are not followed.
  const isFree = force === true || (await lstat(path).catch(() => undefined)) === undefined
  if (!isFree) throw cannotWrite(path, { code: 'EEXIST' })
  const part = join(dirname(path), `.muster-${randomUUID()}`)
  try {
    await pipeline(await contentOf(muster, file), createWriteStream(part, { flags: 'wx' }))
    await (force === true ? rename(part, path) : moveToFree(part, path))
  } catch (error) {
    await rm(part, { force: true })
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : cannotWrite(path, error)
  }
  const { id, name, media_type, bytes } = file
  return { id, name, media_type, bytes, path }
}

/** Never overwrites a file that was created meanwhile. */
async function moveToFree(part: string, path: string): Promise<void> {
  const hasLink = await link(part, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error
      return false
    },
  )
  if (hasLink) return rm(part)
  // For file systems without hard links: reserves the name with an empty file.
  await (await open(path, 'wx')).close()
  await rename(part, path)
}

/** The bytes; fails at their end if the hash does not match. */
async function contentOf(muster: Muster, { id, sha256 }: StoredFile): Promise<Readable> {
  const { body } = await muster.files.content(id)
  const hash = createHash('sha256')
  const checked = async function* (): AsyncGenerator<Uint8Array> {
    for await (const part of body ?? []) {
      hash.update(part)
      yield part
    }
    if (hash.digest('hex') === sha256) return
    const why = 'what arrived is not what was stored'
    throw new CliError(exitCodes.error, 'damaged_file', `Cannot download ${id}: ${why}`)
  }
  return Readable.from(checked(), { objectMode: false })
}

/**
 * A safe name for every file system, without folders: whatever the service says, the file stays in
 * its folder.
 */
export function safeName(name: string): string {
  const plain = (name.split(/[/\\]/).at(-1) ?? '')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}<>:"|?*]/gu, '_')
    .replaceAll(/^[\s.]+|[\s.]+$/g, '')
  if (plain === '') return 'file'
  const extension = /\.[^.\s]{1,12}$/.exec(plain)?.[0] ?? ''
  const stem = cut(plain.slice(0, plain.length - extension.length), 200)
  // Device names of Windows, with any extension.
  const isDevice = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(stem + extension)
  return `${isDevice ? '_' : ''}${stem}${extension}`
}

/** Cut to a number of bytes, at a character boundary: file systems count bytes. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0
  let kept = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept
}

/** File systems may treat `A` and `a` as equal. */
function freeName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let free = name
  for (let number = 2; taken.has(free.toLowerCase()); number++) {
    free = `${stem} (${number})${extension}`
  }
  return free
}

function cannotWrite(path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const reasons: Record<string, string> = {
    EEXIST: 'it already exists; choose another with --out, or overwrite it with --force',
    ENOENT: 'its folder does not exist',
    EISDIR: 'it is a folder',
    EACCES: 'no permission',
    ENOSPC: 'the disk is full',
  }
  return usageError(`Cannot write ${path}: ${reasons[code ?? ''] ?? message}`, 'unwritable_file')
}
