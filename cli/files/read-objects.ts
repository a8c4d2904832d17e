import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { usageError } from '../failure.ts'
import { readNamedFiles, type NamedFile } from '../named-file.ts'
import { shell } from '../shell.ts'
import { fileResources, httpApis, keyOf, type FileResource } from './resources.ts'

/** An object in a file. */
export interface FileObject {
  of: FileResource
  name: string
  fields: Record<string, unknown>
  file: NamedFile
}

const maxFiles = 1_000
const maxDepth = 8
/** Limit of entries in one folder. */
const maxEntries = 10_000

/** The objects of files and folders, in the order in which they must be applied. */
export async function readObjects(
  paths: string[],
  fallback: FileResource | undefined,
): Promise<FileObject[]> {
  const files: string[] = []
  // Commands of one resource accept files, not folders.
  if (fallback === undefined) for (const path of paths) await collect(path, files, 0)
  else files.push(...paths)
  const objects = new Map<string, FileObject>()
  for (const path of files) {
    for (const one of await readFile(path, fallback)) {
      const key = `${one.of.noun} ${one.name}`
      const other = objects.get(key)
      if (other === undefined) objects.set(key, one)
      else refuseDifferent(other, one)
    }
  }
  return [...objects.values()].sort(
    (a, b) => fileResources.indexOf(a.of) - fileResources.indexOf(b.of),
  )
}

/** Exports of several workflows each contain the agents that these share; the same object twice is one object. */
function refuseDifferent(one: FileObject, other: FileObject): void {
  if (isDeepStrictEqual(one.fields, other.fields)) return
  const names = new Set([...Object.keys(one.fields), ...Object.keys(other.fields)])
  const different = [...names].filter(
    (name) => !isDeepStrictEqual(one.fields[name], other.fields[name]),
  )
  const object = `${one.of.noun} ${JSON.stringify(one.name)}`
  const where = `${one.file.name} and ${other.file.name}`
  const why = `${where} describe the ${object} differently (${different.join(', ')})`
  throw usageError(`Cannot read the files: ${why}`, 'invalid_file')
}

async function collect(path: string, files: string[], depth: number): Promise<void> {
  const isFolder =
    path !== '-' &&
    (await stat(resolve(shell().cwd(), path)).then(
      (found) => found.isDirectory(),
      () => false,
    ))
  if (!isFolder) {
    if (files.push(path) > maxFiles)
      throw usageError(`Cannot read the files: there are more than ${maxFiles}`, 'invalid_file')
    return
  }
  if (depth === maxDepth)
    throw usageError(
      `Cannot read ${path}: folders are nested deeper than ${maxDepth}`,
      'invalid_file',
    )
  const entries = await readdir(resolve(shell().cwd(), path), { withFileTypes: true })
  if (entries.length > maxEntries)
    throw usageError(`Cannot read ${path}: it has more than ${maxEntries} entries`, 'invalid_file')
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory() || /\.(ya?ml|json)$/.test(entry.name))
      await collect(join(path, entry.name), files, depth + 1)
  }
}

async function readFile(path: string, fallback: FileResource | undefined): Promise<FileObject[]> {
  const files = await readNamedFiles(path, (fields) => {
    const of = resourceOf(fields, fallback)
    return of?.key === 'name' ? of.noun : undefined
  })
  return files.map((file) => {
    const { resource: _, ...fields }: Record<string, unknown> = file.fields
    const of = resourceOf(file.fields, fallback)
    if (of === undefined) {
      const known = fileResources.map(({ noun }) => noun).join(', ')
      const given = JSON.stringify(file.fields['resource']) ?? 'absent'
      const why = `resource is ${given}, expected one of ${known}`
      throw usageError(`Cannot read ${file.name}: ${why}`, 'invalid_file')
    }
    const secret = of === httpApis ? ['auth', 'headers'].find((one) => one in fields) : undefined
    if (secret !== undefined) {
      const why = `${secret} may be secret and stays on the server, give it once with muster connectors connect`
      throw usageError(`Cannot read ${file.name}: ${why}`, 'invalid_file')
    }
    const name = keyOf(of, fields)
    if (typeof name !== 'string' || name === '') {
      const why = `${of.key} is ${JSON.stringify(name) ?? 'absent'}, expected a text; it tells which ${of.noun} to change`
      throw usageError(`Cannot read ${file.name}: ${why}`, 'invalid_file')
    }
    return { of, name, fields, file }
  })
}

/**
 * The resource of an object: as it says, or by its fields (a workflow has a crew, an agent has
 * instructions).
 */
function resourceOf(
  fields: Record<string, unknown>,
  fallback: FileResource | undefined,
): FileResource | undefined {
  const { resource } = fields
  const noun =
    resource ??
    fallback?.noun ??
    ('crew' in fields ? 'workflow' : 'systemPrompt' in fields ? 'agent' : undefined)
  return fileResources.find((one) => one.noun === noun)
}
