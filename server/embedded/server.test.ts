import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../rig/until.ts'
import { startEmbeddedServer } from './server.ts'
import { makeFolder, query } from './test-folder.ts'

void test('the first boot makes the database, the second finds what the first stored', async () => {
  await using folder = await makeFolder(tmpdir())
  const first = await startEmbeddedServer({ dataDir: folder.dataDir })
  await query(first.url, `create table kept as select 'here' as word`)
  await first[Symbol.asyncDispose]()
  assert.equal(await folder.findServer(), undefined)

  await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
  assert.deepEqual(await query(server.url, 'select word from kept'), [{ word: 'here' }])
})

void test('an owner that cannot say so leaves no server at a start, and goes on as owner after a crash', async () => {
  await using folder = await makeFolder()
  const { dataDir } = folder
  const options = { dataDir, fsync: false }
  const ownerFile = join(dataDir, 'postgres.owner')
  // A link to nowhere makes the owner file impossible to write, as a full disk would.
  const obstruct = () => symlink('nowhere/at/all', ownerFile)
  await mkdir(dataDir)
  await obstruct()
  await assert.rejects(startEmbeddedServer(options), /ENOENT/)
  assert.equal(await folder.findServer(), undefined)

  const lines: string[] = []
  await using server = await startEmbeddedServer({ ...options, log: (line) => lines.push(line) })
  await rm(ownerFile)
  await obstruct()
  process.kill((await folder.findServer()) ?? 0, 'SIGKILL')
  const isRefused = () => lines.some((line) => line.includes('ENOENT'))
  await until('the server is back, and the file is refused', 20_000, isRefused)
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }])
  await rm(ownerFile, { force: true })
  await until('it is owned', 20_000, () => existsSync(ownerFile))
  await server[Symbol.asyncDispose]()
  assert.equal(await folder.findServer(), undefined)
})

void test('the server is durable, UTF-8, collates by bytes and has no TCP port', async () => {
  await using folder = await makeFolder()
  await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
  const [found] = await query(
    server.url,
    `select current_user as user, current_database() as database,
       current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commits, current_setting('data_checksums') as sums,
       current_setting('listen_addresses') as addresses, current_setting('TimeZone') as zone,
       (select datcollate from pg_database where datname = 'muster') as collation`,
  )
  assert.deepEqual(found, {
    user: 'muster',
    database: 'muster',
    encoding: 'UTF8',
    fsync: 'on',
    commits: 'on',
    sums: 'on',
    addresses: '',
    zone: 'UTC',
    collation: 'C',
  })
})

void test(
  'only the user of the server and the one who started it get in, also to a cluster of before',
  { skip: process.getuid?.() === 0 ? false : 'only root can be another user' },
  async () => {
    await using folder = await makeFolder()
    await using server = await startEmbeddedServer({ dataDir: folder.dataDir, fsync: false })
    const address = new URL(server.url)
    const socketDir = address.searchParams.get('host') ?? ''
    const data = join(folder.dataDir, 'postgres')
    assert.match(await readFile(join(data, 'pg_hba.conf'), 'utf8'), /^local\s.*\strust$/m)
    // The folder of the socket alone would keep other users out.
    for (const path of [folder.dataDir, socketDir]) await chmod(path, 0o755)
    const socket = join(socketDir, `.s.PGSQL.${address.port}`)
    await chmod(socket, 0o777)
    const owner = await stat(data)
    const nobody = { uid: 65_534, gid: 65_534 }
    assert.match(await greet(socket, nobody), /^E.*Peer authentication failed for user "muster"/s)
    assert.match(await greet(socket, { uid: owner.uid, gid: owner.gid }), /^R/)
    assert.match(await greet(socket, { uid: 0, gid: 0 }), /^R/)
  },
)

/** The first bytes that the server sends to a process of this user. */
function greet(socket: string, user: { uid: number; gid: number }): Promise<string> {
  const words = 'user\0muster\0database\0muster\0\0'
  const script = `
    const head = Buffer.alloc(8)
    head.writeInt32BE(${8 + words.length}, 0)
    head.writeInt32BE(196608, 4)
    const socket = require('node:net').connect(${JSON.stringify(socket)}, () =>
      socket.write(Buffer.concat([head, Buffer.from(${JSON.stringify(words)})])))
    socket.on('data', (data) => { process.stdout.write(data); socket.destroy() })`
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  execFile(process.execPath, ['-e', script], { cwd: '/', ...user }, (error, stdout) => {
    if (error === null) resolve(stdout)
    else reject(error)
  })
  return promise
}
