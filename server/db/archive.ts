import { createHash, type Hash } from 'node:crypto'
import { ConfigError } from '../config-error.ts'

/**
 * The format of a backup file, before compression: a line of JSON as the header; for each table a
 * line of JSON and its rows in COPY's text format up to a line `\.`; at the end a line with the
 * hash of everything before. It is written and read as a stream.
 */
export interface ArchiveHeader {
  format: typeof format
  version: typeof formatVersion
  made_at: string
  /** Version of Muster. */
  release: string
  /** Version of PostgreSQL. */
  server_version: string
  migrations: { name: string; checksum: string }[]
  /** Base64; only if the backup was made with the key. */
  secret_key?: string
}

export interface TableHeader {
  table: string
  columns: string[]
}

export const format = 'muster-backup'
export const formatVersion = 1

export class ArchiveWriter {
  readonly #hash: Hash = createHash('sha256')

  line(value: ArchiveHeader | TableHeader): Buffer {
    return this.piece(Buffer.from(`${JSON.stringify(value)}\n`))
  }

  piece(bytes: Buffer): Buffer {
    this.#hash.update(bytes)
    return bytes
  }

  endOfRows(): Buffer {
    return this.piece(Buffer.from('\\.\n'))
  }

  end(): Buffer {
    return Buffer.from(`${JSON.stringify({ end: true, sha256: this.#hash.digest('hex') })}\n`)
  }
}

const longestLine = 1024 * 1024

/**
 * Reads what `ArchiveWriter` wrote; fails for a file that is damaged or cut short, at the latest
 * when its end is reached.
 */
export class ArchiveReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #hash: Hash = createHash('sha256')
  #buffer: Buffer = Buffer.alloc(0)
  header!: ArchiveHeader

  private constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /**
   * Reads the header, so that a file that is no backup is rejected before a database is created for
   * it.
   */
  static async open(source: AsyncIterable<Buffer>): Promise<ArchiveReader> {
    const reader = new ArchiveReader(source)
    const found = (await reader.#line()) as Partial<ArchiveHeader> | null
    if (found?.format !== format) throw notWhole('it is no backup of Muster')
    if (found.version !== formatVersion) {
      throw notWhole(`its format is ${found.version}, this Muster reads ${formatVersion}`)
    }
    if (!isWhole(found)) throw notWhole('its first line is damaged')
    reader.header = found
    return reader
  }

  /**
   * The next table, whose rows have to be read before the one after it; undefined after the last.
   */
  async table(): Promise<TableHeader | undefined> {
    const sha256 = this.#hash.copy().digest('hex')
    const found = (await this.#line()) as TableHeader | { end: true; sha256: string }
    if (!('end' in found)) return found
    if (found.sha256 !== sha256) throw notWhole('its hash is not that of its content')
    return undefined
  }

  /** Reads to the end, which fails if the file is damaged. */
  async skip(): Promise<void> {
    while ((await this.table()) !== undefined) for await (const _rows of this.rows());
  }

  async *rows(): AsyncGenerator<Buffer> {
    // The end mark is at the beginning of a line, and every row ends with a line break.
    let isLineStart = true
    for (;;) {
      const end = isLineStart && this.#buffer.subarray(0, 3).equals(mark) ? 0 : this.#findEnd()
      if (end !== undefined) {
        if (end > 0) yield this.#take(end)
        this.#take(mark.length)
        return
      }
      // The beginning of a possible end mark stays in the buffer.
      const safe = this.#buffer.length - mark.length - 1
      if (safe > 0) {
        isLineStart = false
        yield this.#take(safe)
      }
      await this.#more()
    }
  }

  #findEnd(): number | undefined {
    const found = this.#buffer.indexOf('\n\\.\n')
    return found === -1 ? undefined : found + 1
  }

  async #line(): Promise<unknown> {
    for (;;) {
      const end = this.#buffer.indexOf('\n')
      if (end !== -1) {
        try {
          return JSON.parse(this.#take(end + 1).toString())
        } catch {
          throw notWhole('it is no backup of Muster, or damaged')
        }
      }
      if (this.#buffer.length > longestLine) throw notWhole('it is no backup of Muster')
      await this.#more()
    }
  }

  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    this.#hash.update(taken)
    return taken
  }

  async #more(): Promise<void> {
    const next = await this.#source.next().catch((error: unknown) => {
      throw notWhole(`it is no backup of Muster, or damaged (${(error as Error).message})`)
    })
    if (next.done === true) throw notWhole('it ends too early')
    this.#buffer = Buffer.concat([this.#buffer, next.value])
  }
}

function isWhole(header: Partial<ArchiveHeader>): header is ArchiveHeader {
  const { made_at: madeAt, release, migrations } = header
  const isList = Array.isArray(migrations) && migrations.length > 0
  const texts = isList && migrations.flatMap((one) => [one?.name, one?.checksum])
  return texts !== false && [madeAt, release, ...texts].every((text) => typeof text === 'string')
}

const mark = Buffer.from('\\.\n')

function notWhole(why: string): ConfigError {
  return new ConfigError(`Cannot read the backup: ${why}`)
}
