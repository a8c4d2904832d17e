import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { startTestApp } from './test-app.ts'

it('docs/files.md does what it says', async () => {
  const guide = await readFile(join(import.meta.dirname, '..', 'docs', 'files.md'), 'utf8')
  const piece = /<!-- files -->\n+```sh\n([^]*?)```/.exec(guide)?.[1] ?? ''
  assert.match(piece, /DELETE/)
  await using app = await startTestApp()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-files-'))
  const script = `set -eu\n${piece.replace(/^export MUSTER_URL=.*$/m, '')}`
  const env = { ...process.env, MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: folder.path, env })
  assert.match(stdout, /"inputs": \[\s+\{\s+"id": "file_\w+",\s+"name": "pumps\.csv"/)
  assert.match(stdout, /month,pumps/)
  assert.equal(
    await readFile(join(folder.path, 'copy.csv'), 'utf8'),
    'month,pumps\nMay,12\nJune,17\n',
  )
  assert.match(stdout, /"deleted": ?true/)
})
