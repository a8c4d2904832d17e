import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError } from '../config-error.ts'
import { chooseSocketDir, prepareCluster, socketName } from './cluster.ts'
import { findServerUser, run } from './user.ts'

const longest = process.platform === 'darwin' ? 103 : 107

void test('the socket stays beside the data as long as its path fits, counted in bytes', () => {
  const room = longest - '/socket/.s.PGSQL.65535'.length
  const fitting = `/${'d'.repeat(room - 1)}`
  assert.equal(chooseSocketDir(fitting, '/tmp'), `${fitting}/socket`)
  assert.equal(join(chooseSocketDir(fitting, '/tmp'), socketName(65_535)).length, longest)
  assert.match(chooseSocketDir(`${fitting}d`, '/tmp'), /^\/tmp\/muster-[0-9a-f]{16}$/)
  assert.match(chooseSocketDir(`/${'ü'.repeat(room - 1)}`, '/tmp'), /^\/tmp\/muster-/)
})

void test('each data folder has a socket folder of its own', () => {
  const deep = `/${'d'.repeat(200)}`
  assert.notEqual(chooseSocketDir(`${deep}/a`, '/tmp'), chooseSocketDir(`${deep}/b`, '/tmp'))
  assert.equal(chooseSocketDir(`${deep}/a`, '/tmp'), chooseSocketDir(`${deep}/a`, '/tmp'))
})

void test('a temporary folder that is too deep as well is a clear error', () => {
  const deep = `/${'d'.repeat(200)}`
  assert.throws(() => chooseSocketDir(deep, deep), /too long for a socket; set MUSTER_DATA_DIR/)
})

void test('a socket folder that is a link of somebody is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-db-'))
  await chmod(folder, 0o711)
  const deep = join(folder, 'd'.repeat(120))
  await mkdir(deep)
  await chmod(deep, 0o711)
  const socketDir = chooseSocketDir(deep)
  await symlink(folder, socketDir)
  try {
    await assert.rejects(prepareCluster({ dataDir: deep, fsync: false }), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.ok(error.message.includes(socketDir))
      return true
    })
  } finally {
    await rm(socketDir)
    await rm(folder, { recursive: true })
  }
})

void test(
  'root makes folders under a private umask that the user of the server can enter',
  { skip: process.getuid?.() === 0 ? false : 'only root has another user' },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-umask-'))
    await chmod(folder, 0o755)
    const before = process.umask(0o077)
    try {
      const dataDir = join(folder, 'a', 'b', 'data')
      const cluster = await prepareCluster({ dataDir, fsync: false })
      assert.ok(existsSync(join(cluster.folder, 'PG_VERSION')))
      for (const path of ['a', 'a/b', 'a/b/data'])
        assert.equal((await stat(join(folder, path))).mode & 0o777, 0o711, path)
    } finally {
      process.umask(before)
      await rm(folder, { recursive: true })
    }
  },
)

void test(
  'root hands the server to a user of its own, which other services do not run as',
  { skip: process.getuid?.() === 0 ? false : 'only root makes users' },
  async () => {
    const { uid, gid } = await findServerUser()
    assert.ok(uid > 0 && gid > 0)
    assert.equal((await run('id', ['-un', String(uid)])).output, 'muster-postgres')
  },
)
