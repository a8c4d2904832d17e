import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { makeFolder, spawnMuster } from '../cli/test-cli.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { makeDocx, makePdf } from '../server/files/test-files.ts'
import { findBrokenLinks, readPages } from './links.ts'

/**
 * A quick check of the service package: built without type checks, packed and unpacked beside the
 * repository's dependencies. `packages/service.slow.test.ts` installs it with npm and tries
 * signals.
 */
const root = join(import.meta.dirname, '..')

it('the packed service has its docs and no test files, starts, and serves API, console and reference, and reads files', async () => {
  await using folder = await makeFolder()
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(program, args, { cwd: folder.path })
  const source = join(folder.path, 'source')
  await mkdir(source)
  const copied = ['package.json', 'bin', 'examples', 'console/dist', 'docs', 'deploy', 'skills']
  copied.push('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE')
  for (const name of copied) {
    await cp(join(root, name), join(source, name), { recursive: true })
  }
  const dist = join(source, 'dist')
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const build = ['-p', join(root, 'tsconfig.build.json'), '--noCheck', '--declaration', 'false']
  await run(process.execPath, compiler, ...build, '--outDir', dist)
  for (const name of ['migrations', 'cluster/run-on-shard.sql']) {
    const from = join(root, 'server', 'db', name)
    await cp(from, join(dist, 'server', 'db', name), { recursive: true })
  }
  const cmaps = join(root, 'node_modules', 'pdfjs-dist', 'cmaps')
  await cp(cmaps, join(dist, 'server', 'files', 'documents', 'cmaps'), { recursive: true })
  await run('npm', 'pack', '--prefix', source, source, '--ignore-scripts', '--silent')
  await run('tar', '-xzf', 'muster-run-muster-0.1.0.tgz')
  const unpacked = join(folder.path, 'package')
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'))
  const files = (await readdir(unpacked, { recursive: true })).join('\n')
  assert.match(files, /^dist\/server\/files\/documents\/cmaps\/90ms-RKSJ-H\.bcmap$/m)
  assert.deepEqual(await findBrokenLinks(unpacked, await readPages(unpacked)), [])
  assert.doesNotMatch(
    files,
    /\.test\.|test-app|^rig\/|^bench\/|^server\/|^(?!examples\/).*[^d]\.ts$/m,
  )

  await using database = await createTestDatabase()
  const key = 'packed-service-admin-key-of-the-test'
  const env = { PORT: '0', DATABASE_URL: database.url, MUSTER_ADMIN_KEY: key }
  const launcher = join(unpacked, 'bin', 'muster.js')
  const service = spawnMuster(['serve'], {
    cwd: folder.path,
    env,
    command: (args) => [process.execPath, [launcher, ...args]],
  })
  const [, url = ''] = await service.until(/"url":"([^"]+)","msg":"ready"/)
  for (const path of ['/', '/docs', '/openapi.json', '/readyz']) {
    assert.equal((await fetch(url + path)).status, 200, path)
  }
  // Each kind is read in a thread, whose file is not imported anywhere.
  for (const content of [await makePdf(['Hello']), await makeDocx()]) {
    const body = new FormData()
    body.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), 'a')
    const headers = { authorization: `Bearer ${key}` }
    const uploaded = await fetch(`${url}/v1/files`, { method: 'POST', body, headers })
    assert.equal(uploaded.status, 201, await uploaded.text())
  }
  service.kill('SIGTERM')
  assert.equal((await service.finished).code, 0)
})
