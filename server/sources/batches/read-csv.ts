import { parse, type CsvError } from 'csv-parse'
import { maxColumns, maxLineBytes } from './limits.ts'

/** Why a CSV cannot be read, in the words of an error. */
export class CsvProblem extends Error {
  override readonly name = 'CsvProblem'
  readonly line: number | undefined

  constructor(why: string, line?: number) {
    super(why)
    this.line = line
  }
}

export interface CsvRow {
  columns: string[]
  /** As many as columns. */
  cells: string[]
  /** Number of its last line. */
  line: number
}

const chunkBytes = 128 * 1024

/**
 * The rows of a CSV with a header. Spreadsheets write more than there is: rows of separators alone are left out, and so
 * are empty columns at the end.
 */
export async function* readCsv(bytes: Uint8Array): AsyncGenerator<CsvRow> {
  const nul = bytes.indexOf(0)
  if (nul !== -1) {
    const line = bytes.subarray(0, nul).reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 1)
    throw new CsvProblem(`line ${line} holds a NUL`, line)
  }
  const text = withoutMark(bytes)
  const head = new TextDecoder().decode(text.subarray(0, chunkBytes))
  // Excel names the separator in a line of its own.
  const [named = '', separator] = /^sep=([^\w"\r\n])(?:\r\n|\r|\n)/i.exec(head) ?? []
  const rest = text.subarray(Buffer.byteLength(named))
  const skipped = named === '' ? 0 : 1
  const isCut = text.length > chunkBytes
  const parser = parse({
    delimiter: separator ?? findSeparator(head.slice(named.length), isCut),
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxLineBytes,
    info: true,
  })
  const feed = async (): Promise<void> => {
    for (let start = 0; start < rest.length; start += chunkBytes) {
      if (!parser.write(rest.subarray(start, start + chunkBytes)))
        await new Promise((resolve) => parser.once('drain', resolve))
    }
    parser.end()
  }
  void feed()
  let columns: string[] | undefined
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const line = info.lines + skipped
      if (record.every((cell) => cell === '')) continue
      if (columns === undefined) {
        columns = readColumns(record, line)
        continue
      }
      const cells = withoutEmptyEnd(record, columns.length)
      if (cells.length !== columns.length) {
        const counts = `expected ${columns.length} cells, found ${cells.length}`
        throw new CsvProblem(`the CSV cannot be read: line ${line}: ${counts}`, line)
      }
      yield { columns, cells, line }
    }
  } catch (error) {
    if (error instanceof CsvProblem) throw error
    throw new CsvProblem(`the CSV cannot be read: ${(error as CsvError).message}`)
  } finally {
    parser.destroy()
  }
}

interface Parsed {
  record: string[]
  info: { lines: number }
}

function readColumns(record: string[], line: number): string[] {
  const columns = withoutEmptyEnd(record, 0)
  if (columns.length > maxColumns) {
    throw new CsvProblem(`the CSV has ${columns.length} columns, at most ${maxColumns}`, line)
  }
  const seen = new Set<string>()
  for (const name of columns) {
    if (name === '__proto__') {
      throw new CsvProblem('the CSV has the column __proto__, which is never taken', line)
    }
    if (seen.has(name)) {
      throw new CsvProblem(`the CSV has two columns named ${JSON.stringify(name)}`, line)
    }
    seen.add(name)
  }
  return columns
}

/** Leaves out empty cells at the end, down to a length. */
function withoutEmptyEnd(cells: string[], least: number): string[] {
  let { length } = cells
  while (length > least && cells[length - 1] === '') length -= 1
  return cells.slice(0, length)
}

/** UTF-8 without a byte order mark. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

const linesLookedAt = 20

/**
 * The separator that gives equal columns in the first lines, outside of quotes; of several, the one that gives the most
 * in the header.
 */
function findSeparator(head: string, isCut: boolean): string {
  const lines = head.replaceAll(/"[^"]*"/g, '').split(/\r\n|\r|\n/)
  // The last line may be cut.
  if (isCut && lines.length > 1) lines.pop()
  const first = lines.filter((line) => line !== '').slice(0, linesLookedAt)
  const found = [',', ';', '\t'].map((separator) => {
    const counts = first.map((line) => line.split(separator).length)
    const columns = counts[0] ?? 1
    return { separator, columns, isEqual: columns > 1 && counts.every((one) => one === columns) }
  })
  const best = found.toSorted(
    (a, b) => Number(b.isEqual) - Number(a.isEqual) || b.columns - a.columns,
  )
  return best[0]?.separator ?? ','
}
