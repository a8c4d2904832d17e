import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../server/start/config.ts'
import { startTestApp } from './test-app.ts'

const root = join(import.meta.dirname, '..')
const readme = await readFile(join(root, 'README.md'), 'utf8')

it('the walk with curl works as it stands', async () => {
  const walk = /<!-- walk -->\n+```sh\n([\s\S]*?)```/.exec(readme)?.[1]
  assert.ok(walk !== undefined)
  await using app = await startTestApp({ env: { MUSTER_DEFAULT_MODEL: 'muster/demo' } })
  const folder = await mkdtemp(join(tmpdir(), 'muster-readme-'))
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
  assert.match(stdout, /seal/)
  assert.match(stdout, /event: run\.completed/)
  assert.match(stdout, /"status":"paused"/)
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
