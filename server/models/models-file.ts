import { readFile, stat } from 'node:fs/promises'
import { parse, YAMLParseError } from 'yaml'
import { ConfigError } from '../config.ts'
import { ModelsFileProblem } from './models-file-fields.ts'
import { parseModelsFile, type ModelsFile } from './models-file-schema.ts'

const maxBytes = 1024 * 1024

/** Reads MUSTER_MODELS_FILE, YAML or JSON. Every problem is a `ConfigError` that names its place. */
export async function readModelsFile(path: string): Promise<ModelsFile> {
  const text = await readText(path)
  try {
    return parseModelsFile(parse(text, { prettyErrors: true }))
  } catch (error) {
    if (error instanceof ModelsFileProblem) throw problem(path, error.message)
    // Of the parser's message the first line: it has line and column, the rest quotes the file.
    if (error instanceof YAMLParseError) throw problem(path, firstLine(error.message))
    throw problem(path, error instanceof Error ? firstLine(error.message) : 'not YAML or JSON')
  }
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > maxBytes) throw problem(path, `${size} bytes, accepted are at most ${maxBytes}`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw problem(path, `cannot be read (${error instanceof Error ? error.message : 'unknown'})`)
  }
}

function problem(path: string, why: string): ConfigError {
  return new ConfigError(`Cannot start: MUSTER_MODELS_FILE ${path}: ${why}`)
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/:$/, '') ?? ''
}
