import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { startTestApp } from './test-app.ts'

/** Runs a page's walk unchanged, on a service of its own; returns its output. */
export async function runWalk(page: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '..', page), 'utf8')
  const walk = /<!-- walk -->\n+```sh\n([\s\S]*?)```/.exec(text)?.[1]
  assert.ok(walk !== undefined)
  await using app = await startTestApp({ env: { MUSTER_DEFAULT_MODEL: 'muster/demo' } })
  await using folder = await makeScratchFolder()
  await mkdir(join(folder.path, '.muster'))
  await writeFile(join(folder.path, '.muster', 'admin-key'), `${app.key}\n`)
  // Only the address differs: a test cannot count on port 3000.
  const script = walk.replace('http://127.0.0.1:3000', app.url)
  assert.notEqual(script, walk)
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder.path,
  })
  return stdout
}
