import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../server/start/config.ts'
import { startTestApp } from './test-app.ts'
import { runWalk } from './walk.ts'

const root = join(import.meta.dirname, '..')
const readme = await readFile(join(root, 'README.md'), 'utf8')

it('the walk with curl works as it stands', async () => {
  const stdout = await runWalk('README.md')
  assert.match(stdout, /"status":"completed"/)
  assert.match(stdout, /seal/)
  assert.match(stdout, /event: run\.completed/)
  assert.match(stdout, /"status":"paused"/)
})

it('the commands of the command line work as they stand', async () => {
  const block = /### With the command line\n+```sh\n([^]*?)```/.exec(readme)?.[1] ?? ''
  assert.match(block, /muster run /)
  await using app = await startTestApp({ env: { MUSTER_DEFAULT_MODEL: 'muster/demo' } })
  const script = block.replaceAll('npx muster', 'node bin/muster.js')
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env: { ...process.env, MUSTER_URL: app.url, MUSTER_API_KEY: app.key },
  })
  assert.match(stdout, /Written by `muster\/demo`/)
})

it('the table of configuration names every variable that is read, and no other', () => {
  const read = new Set<string>()
  readConfig(
    new Proxy(
      {},
      {
        get: (_, name) => {
          read.add(String(name))
          return undefined
        },
      },
    ),
  )
  // A secret may come from a file; one sentence says so for all.
  for (const name of read) {
    if (name.endsWith('_FILE') && read.has(name.slice(0, -5))) read.delete(name)
  }
  const section = /## Configuration\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  assert.deepEqual(new Set(named), read)
  assert.equal(named.length, read.size)
})
