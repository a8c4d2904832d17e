import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { peerSettings } from './peers.ts'
import { makeFolder } from './test-folder.ts'

void test('peers are named beside an unchanged pg_hba.conf, and a changed one is left in force', async () => {
  await using made = await makeFolder()
  const folder = join(made.dataDir, 'postgres')
  await mkdir(folder, { recursive: true })
  const { dataDir } = made
  const cluster = {
    dataDir,
    folder,
    socketDir: '',
    logFile: '',
    postgresProgram: '',
    user: undefined,
  }
  const rules = '# comment\nlocal   all   all   trust\nhost all all 127.0.0.1/32 trust\n'
  await writeFile(join(folder, 'pg_hba.conf'), rules)
  const { hba_file: hba = '', ident_file: ident = '' } = await peerSettings(cluster)
  assert.equal(
    await readFile(hba, 'utf8'),
    'local all all peer map=muster\nlocal replication all peer map=muster\n',
  )
  assert.match(await readFile(ident, 'utf8'), /^(muster "[\w.@-]+" all\n)+$/)
  await writeFile(join(folder, 'pg_hba.conf'), `${rules}host all all 10.0.0.0/8 scram-sha-256\n`)
  assert.deepEqual(await peerSettings(cluster), {})
})
