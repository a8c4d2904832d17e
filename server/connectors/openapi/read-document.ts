import { upgrade } from '@scalar/openapi-upgrader'
import { parse as parseYaml } from 'yaml'
import { nearest } from '../../nearest.ts'
import { visibleText } from '../../safe-text.ts'
import { isDeeperThan } from '../../json-limits.ts'
import type { TakenNames } from './arguments.ts'
import { readOperation, serverOf, type Found, type ReadOperation } from './read-operation.ts'
import { fieldOf, isObject, resolve, type Fields } from './resolve.ts'

/**
 * A task for the sandbox: the operations of an OpenAPI document (`read-operation.ts`). The document is a stranger's: its
 * size, depth, references and names are bounded.
 */
export interface DocumentToRead {
  text: string
  /** Names of the operations that agents are offered; without it, no operation is read. */
  pick?: { only?: string[]; except?: string[] }
  taken?: TakenNames
}

export type ReadDocument =
  | { kind: 'refused'; why: string }
  | {
      kind: 'read'
      title: string
      version: string
      /** The first server's address, as it is written. */
      server: string | undefined
      operations: ReadOperation[]
      /** Operations of the document, listed or not. */
      total: number
      /** Picked names that the document does not have. */
      unknown: { name: string; nearest: string[] } | undefined
    }

/** Values, with the repeated ones of YAML's aliases counted each time. */
const maxParts = 2_000_000
const maxNesting = 150
const maxOperations = 10_000
const maxListed = 1_000
const noNames: TakenNames = { headers: [], query: [] }

class Refused extends Error {}

export function readDocument({ text, pick, taken = noNames }: DocumentToRead): ReadDocument {
  try {
    const document = upgradeTo31(parse(text))
    const head = { ...titleOf(document), server: serverOf(document['servers']) }
    if (pick === undefined) {
      return { kind: 'read', ...head, operations: [], total: 0, unknown: undefined }
    }
    const found = [...operationsOf(document)]
    if (found.length === 0) throw new Refused('it has no operations')
    const names = new Map<string, number>()
    for (const { name } of found) names.set(name, (names.get(name) ?? 0) + 1)
    const wanted = new Set(pick.only ?? pick.except)
    const isPicked = ({ name }: Found): boolean =>
      pick.only === undefined ? !wanted.has(name) : wanted.has(name)
    const listed = [...found.filter(isPicked), ...found.filter((one) => !isPicked(one))]
    const kept = new Set(listed.slice(0, maxListed))
    const actions = new Set<string>()
    const operations = found
      .filter((one) => kept.has(one))
      .map((one) => {
        const read = readOperation(document, one, isPicked(one), taken)
        const isTwice = (names.get(one.name) ?? 0) > 1 || actions.has(read.action)
        actions.add(read.action)
        return isTwice ? refuse(read, 'the document has two operations of this name') : read
      })
    return {
      kind: 'read',
      ...head,
      operations,
      total: found.length,
      unknown: findUnknown([...wanted], [...names.keys()]),
    }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', why: error.message }
    throw error
  }
}

function refuse(operation: ReadOperation, reason: string): ReadOperation {
  const { offer: _offer, ...rest } = operation
  return { ...rest, reason, hash: '' }
}

function parse(given: string): Fields {
  const text = given.replace(/^\uFEFF/, '')
  let value: unknown
  try {
    value = /^\s*\{/.test(text)
      ? JSON.parse(text)
      : parseYaml(text, { maxAliasCount: 1_000, logLevel: 'silent' })
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown reason'
    throw new Refused(`it is neither JSON nor YAML: ${visibleText(why).slice(0, 200)}`)
  }
  if (!isObject(value)) throw new Refused('it is no object')
  const over = countUp(value)
  if (over !== undefined) throw new Refused(over)
  if (isDeeperThan(value, maxNesting))
    throw new Refused(`it is nested more than ${maxNesting} levels deep`)
  return value
}

/** What is wrong with the parts of a document; undefined if nothing is. */
function countUp(value: Fields): string | undefined {
  let parts = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    parts += 1
    if (parts > maxParts) return `it has more than ${maxParts} values with its aliases followed`
    if (typeof one !== 'object' || one === null) continue
    if (Object.hasOwn(one, '__proto__')) return 'it has the key __proto__, which is never taken'
    for (const item of Object.values(one)) waiting.push(item)
  }
  return undefined
}

function upgradeTo31(given: Fields): Fields {
  const { openapi, swagger } = given
  const version = openapi ?? swagger
  const isKnown = typeof version === 'string' && /^(?:2\.0|3\.[01](?:\.|$))/.test(version)
  if (!isKnown) {
    const shown = typeof version === 'string' ? JSON.stringify(version.slice(0, 20)) : 'no version'
    throw new Refused(`it names ${shown}, expected openapi 3.0 or 3.1`)
  }
  try {
    return upgrade(given, '3.1')
  } catch {
    throw new Refused('it is no valid OpenAPI document')
  }
}

function titleOf({ info }: Fields): { title: string; version: string } {
  const [title, version] = ['title', 'version'].map((name) => {
    const text = fieldOf(info, name)
    return typeof text === 'string'
      ? visibleText(text.slice(0, 1_000)).slice(0, 200).toWellFormed()
      : ''
  })
  return { title: title ?? '', version: version ?? '' }
}

function* operationsOf(document: Fields): Generator<Found> {
  const { paths } = document
  if (!isObject(paths)) return
  let count = 0
  for (const [path, given] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue
    let item: unknown
    try {
      item = resolve(document, given)
    } catch {
      continue
    }
    if (!isObject(item)) continue
    for (const verb of ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']) {
      const operation = item[verb]
      if (!isObject(operation)) continue
      count += 1
      if (count > maxOperations) throw new Refused(`it has more than ${maxOperations} operations`)
      const method = verb.toUpperCase()
      const id = operation['operationId']
      const named = typeof id === 'string' && id.trim() !== '' ? visibleText(id).slice(0, 200) : ''
      const name =
        named.toWellFormed() || visibleText(`${method} ${path}`).slice(0, 300).toWellFormed()
      yield { name, method, path, item, operation }
    }
  }
}

function findUnknown(
  wanted: string[],
  names: string[],
): { name: string; nearest: string[] } | undefined {
  const known = new Set(names)
  const name = wanted.find((one) => !known.has(one))
  return name === undefined ? undefined : { name, nearest: nearest(name, names) }
}
