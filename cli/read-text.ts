import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { usageError } from './failure.ts'
import { shell } from './shell.ts'

/** The text of a file, or of stdin for `-`: UTF-8 of at most `maxBytes`. */
export async function readText(path: string, maxBytes: number): Promise<string> {
  const bytes = await readBytes(path, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw usageError(`Cannot read ${sourceName(path)}: it is not text in UTF-8`, 'unreadable_file')
  }
}

/** The bytes of a file, or of stdin for `-`: at most `maxBytes`. */
export async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  const source: Readable =
    path === '-' ? shell().stdin : createReadStream(resolve(shell().cwd(), path))
  const bytes = await readUpTo(source, maxBytes).catch((error: NodeJS.ErrnoException) => {
    const { code, message } = error
    const why = { ENOENT: 'no such file', EISDIR: 'it is a folder', EACCES: 'no permission' }
    throw usageError(
      `Cannot read ${sourceName(path)}: ${why[code as 'ENOENT'] ?? message}`,
      'unreadable_file',
    )
  })
  if (bytes === undefined) {
    const why = `it has more than ${maxBytes} bytes`
    throw usageError(`Cannot read ${sourceName(path)}: ${why}`, 'file_too_large')
  }
  return bytes
}

/** Undefined if there are more than `maxBytes`; no more are held in memory. */
export async function readUpTo(
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

function sourceName(path: string): string {
  return path === '-' ? 'stdin' : path
}
