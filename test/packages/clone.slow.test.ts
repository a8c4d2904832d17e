import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { makeUserFolder, root } from './install.ts'
import { start } from './start-service.ts'

it('a clone installs without development packages, and starts from its sources and from what was built', async () => {
  await using clone = await makeUserFolder()
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await promisify(execFile)('git', list, {
    cwd: root,
    maxBuffer: 8 * 1024 * 1024,
  })
  for (const name of stdout
    .split('\0')
    .filter((one) => one !== '' && existsSync(join(root, one)))) {
    await mkdir(dirname(join(clone.path, name)), { recursive: true })
    await cp(join(root, name), join(clone.path, name))
  }
  const output = await clone.run('npm', ['ci', '--omit=dev', '--prefer-offline', '--no-audit'])
  assert.doesNotMatch(output, /not found|prepare/)
  assert.ok(!existsSync(join(clone.path, 'node_modules', 'typescript')))
  const serves = async (status: number): Promise<void> => {
    await using service = await start(clone.path, ['npm', 'start'])
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
    const page = await fetch(service.url, { headers: { accept: 'text/html' } })
    assert.equal(page.status, status, await page.text())
    await service.stop('SIGTERM', 'group')
  }
  // The API without the console, which is not built.
  await serves(404)
  // What a machine with development packages has built is copied here.
  await promisify(execFile)('npm', ['run', 'build'], { cwd: root })
  for (const built of ['dist', 'console/dist'])
    await cp(join(root, built), join(clone.path, built), { recursive: true })
  await serves(200)
})
