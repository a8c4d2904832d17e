import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until as untilTrue } from '../../rig/until.ts'
import { ConfigError } from '../config-error.ts'
import { isAlive, isPostmasterOf } from './process.ts'
import { openEmbeddedServer, startEmbeddedServer } from './server.ts'
import { makeFolder, query } from './test-folder.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534

void test('other files of the data folder stay private, the socket is closed to others', async () => {
  await using folder = await makeFolder()
  await mkdir(folder.dataDir)
  await chmod(folder.dataDir, 0o711)
  const secret = join(folder.dataDir, 'admin-key')
  await writeFile(secret, 'secret', { mode: 0o600 })
  await using _server = await startEmbeddedServer({ dataDir: folder.dataDir })
  const { mode, uid } = await stat(secret)
  assert.equal(mode & 0o777, 0o600)
  assert.equal(uid, process.getuid?.())
  for (const name of ['socket', 'postgres']) {
    assert.equal((await stat(join(folder.dataDir, name))).mode & 0o777, 0o700, name)
  }
  assert.equal((await stat(join(folder.dataDir, 'postgres.log'))).mode & 0o777, 0o600)
})

void test('a log of more than 10 MB is emptied at the start', async () => {
  await using folder = await makeFolder()
  await mkdir(folder.dataDir)
  await chmod(folder.dataDir, 0o711)
  const log = join(folder.dataDir, 'postgres.log')
  await writeFile(log, Buffer.alloc(10 * 1024 * 1024 + 1, 'x'))
  await using _server = await startEmbeddedServer({ dataDir: folder.dataDir })
  assert.ok((await stat(log)).size < 100_000)
})

void test('a server that was told to stop from elsewhere is started again', async () => {
  await using folder = await makeFolder()
  await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
  await query(server.url, `create table kept as select 'here' as word`)
  const first = await folder.findServer()
  assert.ok(first !== undefined)
  process.kill(first, 'SIGTERM')
  await until(async () => {
    const now = await folder.findServer()
    return now !== undefined && now !== first
  })
  await until(() =>
    query(server.url, 'select word from kept').then(
      () => true,
      () => false,
    ),
  )
})

void test('after kill -9 of the owner the next one adopts the running server', async () => {
  await using folder = await makeFolder()
  await using owner = await startOwner(folder.dataDir)
  await query(owner.url, `create table kept as select 'here' as word`)
  const orphan = await folder.findServer()
  await owner.kill()

  await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
  assert.equal(await folder.findServer(), orphan)
  assert.deepEqual(await query(server.url, 'select word from kept'), [{ word: 'here' }])
})

void test('after kill -9 of the owner and of PostgreSQL nothing committed is lost', async () => {
  await using folder = await makeFolder()
  await using owner = await startOwner(folder.dataDir)
  await query(owner.url, `create table kept as select 'here' as word`)
  const orphan = await folder.findServer()
  await owner.kill()
  process.kill(orphan ?? 0, 'SIGKILL')

  await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
  assert.notEqual(await folder.findServer(), orphan)
  assert.deepEqual(await query(server.url, 'select word from kept'), [{ word: 'here' }])
  const sockets = (await readdir(join(folder.dataDir, 'socket'))).filter((name) =>
    /^\.s\.PGSQL\.\d+$/.test(name),
  )
  assert.equal(sockets.length, 1)
})

void test('a pid file that names a living process of another kind does not block', async () => {
  await using folder = await makeFolder()
  const before = await startEmbeddedServer({ dataDir: folder.dataDir })
  const pidFile = join(folder.dataDir, 'postgres', 'postmaster.pid')
  const written = await readFile(pidFile, 'utf8')
  await before[Symbol.asyncDispose]()

  const { uid, gid } = await stat(join(folder.dataDir, 'postgres'))
  const unrelated = spawn('sleep', ['600'], { stdio: 'ignore', uid, gid })
  try {
    await once(unrelated, 'spawn')
    await writeFile(pidFile, written.replace(/^\d+/, String(unrelated.pid)))
    await chown(pidFile, uid, gid)
    await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
    assert.equal((await query(server.url, 'select')).length, 1)
    assert.ok(isAlive(unrelated.pid ?? 0))
  } finally {
    unrelated.kill('SIGKILL')
  }
})

void test('an orphan whose socket is gone is replaced', async () => {
  await using folder = await makeFolder()
  await using owner = await startOwner(folder.dataDir)
  const orphan = await folder.findServer()
  await owner.kill()
  await rm(join(folder.dataDir, 'socket'), { recursive: true })
  await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
  assert.notEqual(await folder.findServer(), orphan)
  assert.ok(!(await isPostmasterOf(orphan ?? 0, join(folder.dataDir, 'postgres'))))
  assert.equal((await query(server.url, 'select')).length, 1)
})

void test('a second service is told who uses the folder, and starts once that one has ended', async () => {
  await using folder = await makeFolder()
  await using owner = await startOwner(folder.dataDir)
  await assert.rejects(startEmbeddedServer({ dataDir: folder.dataDir }), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.match(error.message, /^Cannot start: another Muster \(process \d+\)/)
    assert.ok(error.message.includes(`(process ${owner.pid})`))
    assert.ok(error.message.includes(folder.dataDir))
    assert.ok(!error.message.includes('\n'))
    return true
  })
  assert.equal((await query(owner.url, 'select')).length, 1)
  await owner.stop()
  assert.equal(await folder.findServer(), undefined)
  await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
  assert.equal((await query(server.url, 'select')).length, 1)
})

void test('who starts while another one stops gets a clear error or a sound server', async () => {
  await using folder = await makeFolder()
  for (let round = 0; round < 5; round += 1) {
    const first = await startEmbeddedServer({ dataDir: folder.dataDir })
    const [second] = await Promise.allSettled([
      delay(round * 2).then(() => startEmbeddedServer({ dataDir: folder.dataDir })),
      first[Symbol.asyncDispose](),
    ])
    if (second.status === 'rejected') {
      assert.match(String(second.reason), /already uses the data folder/)
    } else {
      await using server = second.value
      assert.equal((await query(server.url, 'select')).length, 1)
    }
    assert.equal(await folder.findServer(), undefined)
  }
})

void test('of several first starts at once exactly one gets the folder', async () => {
  await using folder = await makeFolder()
  const starts = await Promise.allSettled(
    [1, 2, 3].map(() => startEmbeddedServer({ dataDir: folder.dataDir })),
  )
  const winners = starts.filter((start) => start.status === 'fulfilled')
  assert.equal(winners.length, 1)
  for (const start of starts) {
    if (start.status === 'rejected') assert.match(String(start.reason), /already uses/)
  }
  const [winner] = winners
  assert.equal((await query(winner?.value.url ?? '', 'select')).length, 1)
  await winner?.value[Symbol.asyncDispose]()
})

void test('a first boot that was killed in the middle leaves nothing behind', async () => {
  await using folder = await makeFolder()
  const killed = spawnOwner(folder.dataDir)
  const isInTheMiddle = async (): Promise<boolean> => {
    const names = await readdir(folder.dataDir).catch(() => [])
    return names.some((name) => name.startsWith('postgres.new-'))
  }
  await until(isInTheMiddle)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  assert.ok(!(await readdir(folder.dataDir)).includes('postgres'))

  await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
  assert.equal((await query(server.url, 'select')).length, 1)
  // The initdb of the killed process may still be writing; the next start removes what it leaves.
  await server[Symbol.asyncDispose]()
  await until(async () => {
    await using _again = await startEmbeddedServer({ dataDir: folder.dataDir })
    return !(await isInTheMiddle())
  })
})

void test('a data folder too deep for a socket keeps it in the temporary folder', async () => {
  await using folder = await makeFolder()
  const deep = join(folder.dataDir, 'deep '.repeat(20), 'it\'s, so "deep" & ü%20'.repeat(4))
  await mkdir(deep, { recursive: true })
  await chmod(folder.dataDir, 0o711)
  await using server = await startEmbeddedServer({ dataDir: deep })
  const socketDir = new URL(server.url).searchParams.get('host') ?? ''
  assert.ok(socketDir.startsWith(tmpdir()))
  assert.equal((await stat(socketDir)).mode & 0o777, 0o700)
  assert.equal((await query(server.url, 'select')).length, 1)
  await server[Symbol.asyncDispose]()
  await rm(socketDir, { recursive: true })
})

void test('a server that crashes comes back at the same address', async () => {
  await using folder = await makeFolder()
  const lines: string[] = []
  await using server = await startEmbeddedServer({
    dataDir: folder.dataDir,
    log: (line) => lines.push(line),
  })
  await query(server.url, `create table kept as select 'here' as word`)
  const crashed = await folder.findServer()
  process.kill(crashed ?? 0, 'SIGKILL')
  await until(async () => {
    const rows = await query(server.url, 'select word from kept').catch(() => [])
    return rows.length === 1
  })
  assert.ok(lines.some((line) => line.includes('ended unexpectedly')))
  // The lock shows that the server has an owner again, not merely that it runs.
  const owned = `select from pg_locks where locktype = 'advisory' and granted`
  await until(async () => (await query(server.url, owned)).length === 1)
  await assert.rejects(startEmbeddedServer({ dataDir: folder.dataDir }), /already uses/)
})

void test('Ctrl-C in the terminal does not reach the server', async () => {
  await using folder = await makeFolder()
  await using owner = await startOwner(folder.dataDir, 'process.on("SIGINT", () => {});')
  process.kill(-owner.pid, 'SIGINT')
  assert.equal((await query(owner.url, 'select')).length, 1)
  await owner.stop()
})

void test('a command joins the server of a running service and leaves it running', async () => {
  await using folder = await makeFolder()
  await using owner = await startOwner(folder.dataDir)
  const command = await openEmbeddedServer({ dataDir: folder.dataDir })
  assert.equal(command.url, owner.url)
  await command[Symbol.asyncDispose]()
  assert.equal((await query(owner.url, 'select')).length, 1)
})

void test('a command alone runs the server until it is done', async () => {
  await using folder = await makeFolder()
  const command = await openEmbeddedServer({ dataDir: folder.dataDir })
  assert.equal((await query(command.url, 'select')).length, 1)
  await command[Symbol.asyncDispose]()
  assert.equal(await folder.findServer(), undefined)
})

void test('a server that cannot start says why in one line', async () => {
  await using folder = await makeFolder()
  const before = await startEmbeddedServer({ dataDir: folder.dataDir })
  await before[Symbol.asyncDispose]()
  await writeFile(join(folder.dataDir, 'postgres', 'PG_VERSION'), '12\n')
  await assert.rejects(startEmbeddedServer({ dataDir: folder.dataDir }), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.match(error.message, /incompatible with server.*version 12/)
    assert.ok(!error.message.includes('\n'))
    return true
  })
})

void test('root is told which folder PostgreSQL cannot enter', { skip: !isRoot }, async () => {
  await using folder = await makeFolder()
  const closed = join(folder.path, 'closed')
  await mkdir(closed, { mode: 0o700 })
  await assert.rejects(startEmbeddedServer({ dataDir: join(closed, 'data') }), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.ok(error.message.includes(`cannot enter the folder ${closed};`))
    assert.match(error.message, /chmod o\+x '.*closed'.*ordinary user.*DATABASE_URL/)
    return true
  })
})

void test(
  'an ordinary user runs it, and root goes on as that user',
  { skip: !isRoot },
  async () => {
    await using folder = await makeFolder()
    await chown(folder.path, nobody, nobody)
    await using owner = await startOwner(folder.dataDir, '', nobody)
    assert.equal((await stat(join(folder.dataDir, 'postgres'))).uid, nobody)
    await owner.stop()
    await chmod(folder.dataDir, 0o711)

    await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
    const pid = await folder.findServer()
    assert.match(
      await readFile(`/proc/${pid}/status`, 'utf8'),
      new RegExp(`^Uid:\\s+${nobody}\\s`, 'm'),
    )
    assert.equal((await query(server.url, 'select')).length, 1)
  },
)

interface Owner extends AsyncDisposable {
  pid: number
  url: string
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts a process that owns the server until it is stopped or killed. */
async function startOwner(dataDir: string, before = '', uid?: number): Promise<Owner> {
  const child = spawnOwner(dataDir, before, uid)
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  await until(async () => {
    if (child.exitCode !== null) throw new Error('the owner ended before it was ready')
    return output.endsWith('\n')
  })
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  const end = async (stop: () => void): Promise<void> => {
    const ended = once(child, 'exit')
    stop()
    await ended
  }
  const kill = async (): Promise<void> => await end(() => child.kill('SIGKILL'))
  return {
    pid: child.pid ?? 0,
    url: output.trim(),
    kill,
    stop: async () => await end(() => child.stdin?.end()),
    async [Symbol.asyncDispose]() {
      if (isRunning()) await kill()
    },
  }
}

function spawnOwner(dataDir: string, before = '', uid?: number): ChildProcess {
  const script = `
    import { startEmbeddedServer } from ${JSON.stringify(join(import.meta.dirname, 'server.ts'))}
    ${before}
    const server = await startEmbeddedServer({ dataDir: ${JSON.stringify(dataDir)} })
    console.log(server.url)
    process.stdin.resume().on('end', async () => {
      await server[Symbol.asyncDispose]()
      process.exit()
    })`
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    // A process group of its own, as a command in a terminal has.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
}

const until = (isTrue: () => Promise<boolean>): Promise<void> =>
  untilTrue('what the test expects', 60_000, isTrue, 5)
