import { closeSync, globSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as testDatabase from '../../server/db/test-database.ts'

/**
 * All test files of `npm test`, run in a few lanes: processes that load the service once and take
 * one file after the other. The folder of a run has the list of files and, for each file that a lane
 * took, a mark: empty when it began, not empty once it has ended.
 */
const folderVariable = 'MUSTER_TEST_LANES'
const pattern = '{server,sdk,cli,test}/**/!(*.slow).test.ts'

export async function globalSetup(): Promise<void> {
  await testDatabase.globalSetup()
  const folder = await mkdtemp(join(tmpdir(), 'muster-lanes-'))
  process.env[folderVariable] = folder
  const files = globSync(pattern, { exclude: ['**/node_modules/**'] })
  // Long ones first, so that the lanes end together.
  const sized = files.map((file) => ({ file, bytes: statSync(file).size }))
  const sorted = sized.sort((a, b) => b.bytes - a.bytes || (a.file < b.file ? -1 : 1))
  writeFileSync(join(folder, 'files.json'), JSON.stringify(sorted.map(({ file }) => file)))
}

/** Fails the run when a file did not come to its end, whatever the lanes themselves say. */
export async function globalTeardown(): Promise<void> {
  const folder = process.env[folderVariable]
  if (folder !== undefined) {
    for (const [index, file] of readFiles(folder).entries()) {
      const state = stateOf(join(folder, String(index)))
      if (state === 'ended') continue
      console.error(state === 'begun' ? `${file} did not come to its end` : `${file} was not run`)
      process.exitCode = 1
    }
    await rm(folder, { recursive: true, force: true })
  }
  await testDatabase.globalTeardown()
}

export interface Claim {
  file: string
  end: () => void
}

/** The next file that no lane has taken. */
export function* claimFiles(): Generator<Claim> {
  const folder = process.env[folderVariable]
  if (folder === undefined) throw new Error('Cannot run a lane by itself: use npm test')
  for (const [index, file] of readFiles(folder).entries()) {
    const mark = join(folder, String(index))
    if (claim(mark)) yield { file, end: () => writeFileSync(mark, 'ended') }
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

function stateOf(mark: string): 'ended' | 'begun' | 'waiting' {
  const size = statSync(mark, { throwIfNoEntry: false })?.size
  return size === undefined ? 'waiting' : size === 0 ? 'begun' : 'ended'
}
