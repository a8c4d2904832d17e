import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
} from 'yaml'
import { MusterError } from '../sdk/index.ts'
import { usageError } from './failure.ts'
import { readText } from './read-text.ts'

/** The file of a workflow or agent: its fields, and their positions in the file. */
export interface NamedFile {
  name: string
  fields: Record<string, unknown> & { name: string }
  /** Line of a field such as `crew[2].role`, or of the nearest field around it. */
  lineOf(param: string): number | undefined
}

const maxBytes = 1024 * 1024

/** A file may have several objects, as YAML documents. */
export async function readNamedFiles(path: string, nounOf: NounOf): Promise<NamedFile[]> {
  const name = path === '-' ? 'stdin' : path
  return parseNamedFiles(name, await readText(path, maxBytes), nounOf)
}

/** The resource of an object, by its fields; undefined if it needs no name. */
type NounOf = (fields: Record<string, unknown>) => string | undefined

/** The same without a name, if options or arguments identify the object. */
export async function readFieldsFile(path: string): Promise<NamedFile> {
  const text = await readText(path, maxBytes)
  const name = path === '-' ? 'stdin' : path
  const [first, ...others] = parseNamedFiles(name, text, () => undefined)
  if (first === undefined || others.length > 0) {
    const why = `it holds ${others.length + (first === undefined ? 0 : 1)} objects, expected one`
    throw usageError(`Cannot read ${name}: ${why}`, 'invalid_file')
  }
  return first
}

/** JSON is YAML too. Empty documents are skipped. */
export function parseNamedFiles(name: string, text: string, nounOf: NounOf): NamedFile[] {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  if (!Array.isArray(documents)) return []
  const all = documents.map((document) => ({ document, value: toValue(name, document, lines) }))
  const held = all.length === 1 ? all : all.filter(({ value }) => value !== null)
  return held.map(({ document, value }) => ({
    name,
    fields: toFields(nounOf, name, value),
    lineOf(param) {
      const offset = offsetOf(document, param)
      return offset === undefined ? undefined : lines.linePos(offset).line
    },
  }))
}

/** Adds the line in the file to an error of the service. */
export function withLine(error: unknown, file: NamedFile): unknown {
  if (!(error instanceof MusterError) || error.status !== 400 || error.param === undefined)
    return error
  const line = file.lineOf(error.param)
  if (line === undefined) return error
  const { status, type, code, param, requestId } = error
  const details = { status, type, code, param, requestId, cause: error }
  return new MusterError(`${file.name} line ${line}: ${error.message}`, details)
}

function toValue(name: string, document: Document, lines: LineCounter): unknown {
  const mistake = document.errors[0]
  if (mistake !== undefined) {
    const { line } = lines.linePos(mistake.pos[0])
    throw usageError(`Cannot read ${name}: line ${line}: ${mistake.message}`, 'invalid_yaml')
  }
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw usageError(`Cannot read ${name}: ${(error as Error).message}`, 'invalid_yaml')
  }
}

function toFields(nounOf: NounOf, name: string, value: unknown): NamedFile['fields'] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const fields = isObject ? (value as Record<string, unknown>) : {}
  const noun = nounOf(fields)
  if (!isObject) {
    throw usageError(
      `Cannot read ${name}: it holds no ${noun ?? 'fields'}, expected an object with the fields of one, such as name`,
      'invalid_file',
    )
  }
  if (noun === undefined) return fields as NamedFile['fields']
  if (typeof fields['name'] !== 'string' || fields['name'] === '') {
    throw usageError(
      `Cannot read ${name}: name is ${JSON.stringify(fields['name']) ?? 'absent'}, expected a text; it tells which ${noun} to change`,
      'invalid_file',
    )
  }
  return { ...fields, name: fields['name'] }
}

function offsetOf(document: Document, param: string): number | undefined {
  let node: unknown = document.contents
  let offset: number | undefined
  for (const [, key, index] of param.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (isMap(node) && key !== undefined) {
      const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === key)
      if (!isPair(pair) || !isNode(pair.key)) break
      offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node) && index !== undefined) {
      node = node.items[Number(index)]
      if (!isNode(node)) break
      offset = node.range?.[0] ?? offset
    } else break
  }
  return offset
}
