import assert from 'node:assert/strict'
import { mkdtempDisposable, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from './make-folder.ts'

void test('a folder is made with those above it, however many make it at once', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-folder-'))
  const top = folder.path
  const deep = join(top, 'a/b/c')
  const made = await Promise.all([1, 2, 3].map(() => makeFolder(deep, 0o700)))
  assert.equal(made.filter(Boolean).length, 1)
  assert.equal((await stat(deep)).mode & 0o777, 0o700)
  assert.equal(await makeFolder(deep), false)
  await symlink(deep, join(top, 'link'))
  assert.equal(await makeFolder(join(top, 'link')), false)
})

void test('a folder that cannot be made is an error at once', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-folder-'))
  const top = folder.path
  await writeFile(join(top, 'file'), '')
  await symlink(join(top, 'gone'), join(top, 'link'))
  await assert.rejects(makeFolder(join(top, 'file')), { code: 'EEXIST' })
  await assert.rejects(makeFolder(join(top, 'file/a/b')), { code: 'ENOTDIR' })
  await assert.rejects(makeFolder(join(top, 'link/a')), { code: 'EEXIST' })
})

void test(
  'a parent that is there and answers ENOENT is an error at once',
  { skip: process.platform === 'linux' ? false : 'only Linux has such a folder', timeout: 10_000 },
  async () => {
    for (const path of ['/proc/muster', '/proc/muster/a/b']) {
      await assert.rejects(makeFolder(path), { code: 'ENOENT' })
    }
  },
)
