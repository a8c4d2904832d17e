import { readFile, stat } from 'node:fs/promises'
import { parse, YAMLParseError } from 'yaml'
import { ConfigError } from '../start/config.ts'
import { ModelsFileProblem } from './models-file-fields.ts'
import { parseModelsFile, type ModelsFile } from './models-file-schema.ts'

const maxBytes = 1024 * 1024

/** Reads MUSTER_MODELS_FILE, YAML or JSON. Every problem is a `ConfigError` that names its place. */
export function readModelsFile(path: string): Promise<ModelsFile> {
  return readSettingsFile('MUSTER_MODELS_FILE', path, parseModelsFile)
}

/** The same for the file of another variable; `parseFile` throws `ModelsFileProblem`s. */
export async function readSettingsFile<T>(
  variable: string,
  path: string,
  parseFile: (value: unknown) => T,
): Promise<T> {
  const text = await readText(path)
  try {
    return parseFile(parse(text, { prettyErrors: true }))
  } catch (error) {
    if (error instanceof ModelsFileProblem) throw problem(error.message)
    // Of the parser's message the first line: it has line and column, the rest quotes the file.
    if (error instanceof YAMLParseError) throw problem(firstLine(error.message))
    throw problem(error instanceof Error ? firstLine(error.message) : 'not YAML or JSON')
  }

  async function readText(path: string): Promise<string> {
    try {
      const { size } = await stat(path)
      if (size > maxBytes) throw problem(`${size} bytes, expected at most ${maxBytes}`)
      return await readFile(path, 'utf8')
    } catch (error) {
      if (error instanceof ConfigError) throw error
      throw problem(`cannot be read (${error instanceof Error ? error.message : 'unknown'})`)
    }
  }

  function problem(why: string): ConfigError {
    return new ConfigError(`Cannot start: ${variable} ${path}: ${why}`)
  }
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/:$/, '') ?? ''
}
