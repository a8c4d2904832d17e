import {
  closeSync,
  existsSync,
  globSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as testDatabase from '../../server/db/test-database.ts'

/**
 * Runs test files in a few lanes: processes that load the service once and run one file after the
 * other. A run's folder has the list of files and, for each file that a lane took, a marker: empty
 * when the file started, `passed` or `failed` once it has ended.
 */
const folderVariable = 'MUSTER_TEST_LANES'

/** The files of `npm test`. */
export function globalSetup(): Promise<void> {
  return queueFiles('{server,sdk,cli,test}/**/!(*.slow).test.ts')
}

export async function queueFiles(pattern: string): Promise<void> {
  await testDatabase.globalSetup()
  const folder = await mkdtemp(join(tmpdir(), 'muster-lanes-'))
  process.env[folderVariable] = folder
  const files = globSync(pattern, { exclude: ['**/node_modules/**'] })
  // Long files first, so that the lanes end together.
  const sized = files.map((file) => ({ file, bytes: statSync(file).size }))
  const sorted = sized.sort((a, b) => b.bytes - a.bytes || (a.file < b.file ? -1 : 1))
  writeFileSync(join(folder, 'files.json'), JSON.stringify(sorted.map(({ file }) => file)))
}

/** Names the files that failed; fails the run if one did not end, because its lane died. */
export async function globalTeardown(): Promise<void> {
  const folder = process.env[folderVariable]
  if (folder !== undefined) {
    for (const [index, file] of readFiles(folder).entries()) {
      const result = readResult(join(folder, String(index)))
      if (result === 'passed') continue
      console.error(`${file} ${result}`)
      process.exitCode = 1
    }
    await rm(folder, { recursive: true, force: true })
  }
  await testDatabase.globalTeardown()
}

export interface Claim {
  file: string
  end: (hasPassed: boolean) => void
}

export function isLane(): boolean {
  return process.env[folderVariable] !== undefined
}

/** The next file that no lane has taken. */
export function* claimFiles(): Generator<Claim> {
  const folder = process.env[folderVariable]
  if (folder === undefined) throw new Error('Cannot run a lane by itself: use npm test')
  for (const [index, file] of readFiles(folder).entries()) {
    const mark = join(folder, String(index))
    if (!claim(mark)) continue
    yield { file, end: (hasPassed) => writeFileSync(mark, hasPassed ? 'passed' : 'failed') }
  }
}

function claim(mark: string): boolean {
  try {
    closeSync(openSync(mark, 'wx'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function readFiles(folder: string): string[] {
  return JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as string[]
}

function readResult(mark: string): string {
  if (!existsSync(mark)) return 'was not run'
  return readFileSync(mark, 'utf8') || 'did not come to its end'
}
