import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usageError } from '../failure.ts'
import { showArguments } from './show.ts'
import { shell } from '../shell.ts'

/** Arguments as they are after a visit to `$VISUAL`, `$EDITOR` or vi. */
export async function editArguments(
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  // Only this user may look into it.
  const folder = await mkdtemp(join(tmpdir(), 'muster-edit-'))
  try {
    const file = join(folder, 'arguments.json')
    await writeFile(file, `${showArguments(input)}\n`)
    const { VISUAL, EDITOR } = shell().env
    await openEditor(VISUAL?.trim() || EDITOR?.trim() || 'vi', file)
    return parseArguments(await readFile(file, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export function parseArguments(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usageError(`Cannot read the arguments: ${(error as Error).message}`, 'invalid_arguments')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw usageError('Cannot read the arguments: expected one JSON object', 'invalid_arguments')
}

/** The setting may hold options, as in `code --wait`; no shell reads it. */
function openEditor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const [program = editor, ...options] = editor.split(/\s+/)
    const child = spawn(program, [...options, file], {
      // Its screen is the terminal, also where stdout goes to a file.
      stdio: ['inherit', shell().stderr, 'inherit'],
    })
    child.once('error', ({ message }) => {
      reject(usageError(`Cannot open the editor (${editor}): ${message}`))
    })
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(usageError(`The editor (${editor}) ended with ${code}: nothing is changed`))
    })
  })
}
