import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startMuster } from '../../rig/muster-process.ts'
import { until } from '../../rig/until.ts'
import { startDatabaseProxy } from '../../test/chaos/database-proxy.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { makeFolder } from '../embedded/test-folder.ts'

const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

describe('a process that is told to stop', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`leaves no database of its own at ${signal}`, async () => {
      await using folder = await makeFolder()
      const env = { MUSTER_DATA_DIR: folder.dataDir }
      await using muster = await startMuster({ folder: folder.path, env })
      assert.notEqual(await folder.findServer(), undefined)
      process.kill(muster.pid, signal)
      await muster.exited
      assert.equal(await folder.findServer(), undefined)
    })
  }

  it('while it starts leaves none either', async () => {
    await using folder = await makeFolder()
    const child = spawn(process.execPath, [program, 'serve'], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], PORT: '0', MUSTER_DATA_DIR: folder.dataDir },
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    await until('its database runs', 30_000, async () => (await folder.findServer()) !== undefined)
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
    assert.equal(await folder.findServer(), undefined)
  })

  it('ends within ten seconds when its database is dead', async () => {
    await using testDatabase = await createTestDatabase()
    await using proxy = await startDatabaseProxy(testDatabase.url)
    await using folder = await makeFolder()
    await using muster = await startMuster({
      folder: folder.path,
      env: { DATABASE_URL: proxy.url },
    })
    proxy.stall(60_000)
    // By then its loops wait for statements that get no answer.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    process.kill(muster.pid, 'SIGTERM')
    let hasExited = false
    void muster.exited.then(() => (hasExited = true))
    // That is long before the database would answer again.
    await until('it has ended', 40_000, () => hasExited)
    assert.match(await muster.readLog(), /the database does not answer/)
  })
})

it('a process that ends without stopping takes its database along', async () => {
  await using folder = await makeFolder()
  const module = new URL('../embedded/server.ts', import.meta.url).href
  const script = `
    const { startEmbeddedServer } = await import(${JSON.stringify(module)})
    await startEmbeddedServer({ dataDir: ${JSON.stringify(folder.dataDir)} })
    process.exit(3)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  assert.deepEqual(await once(child, 'exit'), [3, null])
  await until('it is gone', 10_000, async () => (await folder.findServer()) === undefined)
})
