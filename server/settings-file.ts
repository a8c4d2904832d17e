import { readFile, stat } from 'node:fs/promises'
import { Ajv } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { parse } from 'yaml'
import { ConfigError } from './config-error.ts'
import { explain } from './validation-error.ts'

const maxBytes = 1024 * 1024
// The schemas are constants, so they need no validation by the meta-schema.
const ajv = new Ajv({
  strict: false,
  verbose: true,
  useDefaults: true,
  meta: false,
  validateSchema: false,
}).addFormat('an http:// or https:// URL', (text) =>
  ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''),
)

/**
 * Reads a YAML or JSON file that a variable names, and checks it against its schema and with
 * `findProblem`. Every problem is a `ConfigError` with its position. Null counts as left out.
 */
export async function readSettingsFile<S extends TSchema>(
  variable: string,
  path: string,
  schema: S,
  findProblem: (file: Static<S>) => string | undefined,
): Promise<Static<S>> {
  let file: unknown
  let why: string | undefined
  try {
    const { size } = await stat(path)
    if (size > maxBytes) why = `${size} bytes, expected up to ${maxBytes}`
    else file = parse(await readFile(path, 'utf8'), (_key, value) => value ?? undefined) ?? {}
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // The first line of the parser's message has line and column; the rest quotes the file.
    const line = message.split('\n')[0]?.replace(/:$/, '')
    why = code !== undefined && 'syscall' in (error as object) ? `cannot be read (${line})` : line
  }
  if (why === undefined) {
    const [error] = ajv.validate(schema, file) ? [] : (ajv.errors ?? [])
    why = error === undefined ? findProblem(file as Static<S>) : explain(error, 'the file').why
  }
  if (why !== undefined) throw new ConfigError(`Cannot start: ${variable} ${path}: ${why}`)
  return file as Static<S>
}

/** The first repeated id, in words. */
export function findRepeated(entries: { id: string }[], path: string): string | undefined {
  const ids = entries.map(({ id }) => id)
  const at = ids.findIndex((id, index) => ids.indexOf(id) < index)
  if (at === -1) return undefined
  const id = ids[at] as string
  return `${path}[${at}].id is ${JSON.stringify(id)}, as in ${path}[${ids.indexOf(id)}]`
}
