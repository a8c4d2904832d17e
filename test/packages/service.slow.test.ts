import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { makeFolder } from '../../cli/test-cli.ts'
import { findMachineNode, installPackage, root, userEnv, type Folder } from './install.ts'
import { start } from './start-service.ts'

const packageFolder = join('node_modules', '@muster-run', 'muster')
const launcher = join(packageFolder, 'bin', 'muster.js')
const machineNode = await findMachineNode()

describe('the packed service, installed in an empty folder', () => {
  let folder: Folder
  before(async () => {
    folder = await installPackage('.')
  })
  after(() => folder[Symbol.asyncDispose]())

  it('has its version', async () => {
    assert.equal(await folder.run('npx', ['muster', '--version']), '0.1.0\n')
  })

  it('runs the demo', async () => {
    const output = await folder.run('npx', ['muster', 'demo', '--yes'])
    assert.match(
      output,
      /The mail server received the mail above, for team@example\.com\.[^]*npx muster serve/,
    )
    assert.ok(!existsSync(join(folder.path, '.muster', 'demo', 'postgres', 'postmaster.pid')))
  })

  const npx = ['npx', 'muster', 'serve']
  it('serves API, pages and threads, and SIGTERM to npx leaves nothing', async () => {
    await using service = await start(folder.path, npx)
    for (const path of ['/', '/docs', '/openapi.json', '/readyz']) {
      assert.equal((await fetch(service.url + path)).status, 200, path)
    }
    const env = { MUSTER_URL: service.url }
    // Training sets are read in a thread, whose code is a separate file.
    const set = join(packageFolder, 'examples', 'support-tone.jsonl')
    const args = ['fine-tunes', 'preview', '--base-model', 'gpt-4.1-mini-2025-04-14', '--file', set]
    assert.match(await folder.run('npx', ['muster', ...args], env), /examples +12\n/)
    await service.stop('SIGTERM', 'first')
  })

  it('SIGTERM to the shell of npx leaves nothing, nor does the death of that shell', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await using service = await start(folder.path, npx)
      await service.stop(signal, 'second')
    }
  })

  it('Ctrl-C in a terminal and its closing, which all processes hear, leave nothing', async () => {
    for (const signal of ['SIGINT', 'SIGHUP'] as const) {
      await using service = await start(folder.path, npx)
      await service.stop(signal, 'group')
    }
  })

  const skip = machineNode === undefined && 'this machine has no Node of its own from 20 on'
  it('hands signals from an older Node on, and ends as the service does', { skip }, async () => {
    for (const [signal, target] of [
      ['SIGTERM', 'first'],
      ['SIGINT', 'group'],
      ['SIGHUP', 'first'],
    ] as const) {
      await using service = await start(folder.path, [machineNode as string, launcher, 'serve'])
      assert.equal(await service.stop(signal, target), 0, `${signal} to ${target}`)
    }
    await using service = await start(folder.path, [machineNode as string, launcher, 'serve'])
    await service.stop('SIGKILL', 'first')
    const wrong = promisify(execFile)(machineNode as string, [launcher, 'nonsense'], {
      cwd: folder.path,
      env: userEnv(),
    })
    await assert.rejects(wrong, { code: 2 })
  })
})

describe('npm start in the repository', () => {
  it('hands signals to npm, and to what npm started, to the service', async () => {
    await using folder = await makeFolder()
    const env = { MUSTER_DATA_DIR: folder.path }
    for (const [signal, target] of [
      ['SIGTERM', 'first'],
      ['SIGINT', 'group'],
      ['SIGHUP', 'second'],
    ] as const) {
      await using service = await start(root, ['npm', 'start'], env)
      await service.stop(signal, target)
      assert.ok(!existsSync(join(folder.path, 'postgres', 'postmaster.pid')))
    }
  })
})
