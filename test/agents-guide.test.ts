import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { startTestApp } from './test-app.ts'

it('the walk of the guide to agents works as it stands', async () => {
  const guide = await readFile(join(import.meta.dirname, '..', 'docs', 'agents.md'), 'utf8')
  const walk = /<!-- walk -->\n+```sh\n([\s\S]*?)```/.exec(guide)?.[1]
  assert.ok(walk !== undefined)
  await using app = await startTestApp({ env: { MUSTER_DEFAULT_MODEL: 'muster/demo' } })
  const folder = await mkdtemp(join(tmpdir(), 'muster-agents-'))
  await mkdir(join(folder, '.muster'))
  await writeFile(join(folder, '.muster', 'admin-key'), `${app.key}\n`)
  // Only the address differs: a test cannot count on port 3000.
  const script = walk.replace('http://127.0.0.1:3000', app.url)
  assert.notEqual(script, walk)
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
  })
  await rm(folder, { recursive: true })
  assert.match(stdout, /"status":"completed"/)
  assert.match(stdout, /"agent_id":"agt_\w{26}"/)
  assert.match(stdout, /"memory":\["mem_\w{26}"\]/)
  assert.match(stdout, /"status":"paused"/)
})
