import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAsWritten } from '../../server/exact-json.ts'
import { usageError } from '../failure.ts'
import { showArguments } from './show.ts'
import { shell } from '../shell.ts'

/** Opens arguments in `$VISUAL`, `$EDITOR` or vi, and returns the edited ones. */
export async function editArguments(
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  // Readable only by this user.
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
    value = parseAsWritten(text)
  } catch (error) {
    throw usageError(`Cannot read the arguments: ${(error as Error).message}`, 'invalid_arguments')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw usageError('Cannot read the arguments: expected one JSON object', 'invalid_arguments')
}

/** The setting may have options, as in `code --wait`; it is not run by a shell. */
function openEditor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const [program = editor, ...options] = editor.split(/\s+/)
    const child = spawn(program, [...options, file], {
      // The editor uses the terminal even if stdout is a file.
      stdio: ['inherit', shell().stderr, 'inherit'],
    })
    child.once('error', ({ message }) => {
      reject(usageError(`Cannot open the editor (${editor}): ${message}`))
    })
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(usageError(`The editor (${editor}) exited with ${code}: nothing was changed`))
    })
  })
}
