import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { ensureSecretKey } from './data-folder.ts'

it('the secret key is whole or not there, where the disk is full when it is made', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-key-'))
  const dataDir = join(folder.path, 'data')
  const script = `
    import { ensureSecretKey } from ${JSON.stringify(import.meta.resolve('./data-folder.ts'))}
    await ensureSecretKey(${JSON.stringify(dataDir)})`
  // With this limit, no byte can be written to a file.
  const command = 'ulimit -f 0; exec "$0" --input-type=module -e "$1"'
  const { status } = spawnSync('/bin/sh', ['-c', command, process.execPath, script])
  assert.notEqual(status, 0)
  const keys = await Promise.all([1, 2, 3].map(() => ensureSecretKey(dataDir)))
  assert.equal(keys[0]?.length, 32)
  for (const key of keys) assert.deepEqual(key, keys[0])
  assert.ok((await readdir(dataDir)).includes('secret-key'))
})
