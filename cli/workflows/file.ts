import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
} from 'yaml'
import { usageError } from '../failure.ts'
import { readText } from '../read-text.ts'

/** A workflow file: its fields as they are, and where in the file each of them is. */
export interface WorkflowFile {
  name: string
  fields: Record<string, unknown> & { name: string }
  /** Line of a field such as `crew[2].role`, or of the nearest one around it. */
  lineOf(param: string): number | undefined
}

const maxBytes = 1024 * 1024

export async function readWorkflowFile(path: string): Promise<WorkflowFile> {
  return parseWorkflowFile(path === '-' ? 'stdin' : path, await readText(path, maxBytes))
}

/** JSON is YAML too. */
export function parseWorkflowFile(name: string, text: string): WorkflowFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const mistake = document.errors[0]
  if (mistake !== undefined) {
    const { line } = lines.linePos(mistake.pos[0])
    throw usageError(`Cannot read ${name}: line ${line}: ${mistake.message}`, 'invalid_yaml')
  }
  const fields = toFields(name, document)
  return {
    name,
    fields,
    lineOf(param) {
      const offset = offsetOf(document, param)
      return offset === undefined ? undefined : lines.linePos(offset).line
    },
  }
}

function toFields(name: string, document: Document): WorkflowFile['fields'] {
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw usageError(`Cannot read ${name}: ${(error as Error).message}`, 'invalid_yaml')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(
      `Cannot read ${name}: it holds no workflow, accepted is an object with the fields name, crew and so on`,
      'invalid_file',
    )
  }
  const fields = value as Record<string, unknown>
  if (typeof fields['name'] !== 'string' || fields['name'] === '') {
    throw usageError(
      `Cannot read ${name}: name is ${JSON.stringify(fields['name']) ?? 'absent'}, accepted is a text; it tells which workflow to change`,
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
