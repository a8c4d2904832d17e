import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Cluster } from './cluster.ts'
import { peerSettings } from './peers.ts'
import { makeFolder } from './test-folder.ts'

void test('peers are named beside an unchanged pg_hba.conf, and a changed one is left in force', async () => {
  await using made = await makeFolder()
  const { cluster, folder } = await makeCluster(made.dataDir)
  const { hba_file: hba = '', ident_file: ident = '' } = await peerSettings(cluster)
  assert.equal(
    await readFile(hba, 'utf8'),
    'local all all peer map=muster\nlocal replication all peer map=muster\n',
  )
  assert.match(await readFile(ident, 'utf8'), /^(muster "[\w.@-]+" all\n)+$/)
  await writeFile(join(folder, 'pg_hba.conf'), `${rules}host all all 10.0.0.0/8 scram-sha-256\n`)
  assert.deepEqual(await peerSettings(cluster), {})
})

void test('files that cannot be written, as on a full disk, leave none behind at each try', async () => {
  await using made = await makeFolder()
  const { cluster, folder } = await makeCluster(made.dataDir)
  await mkdir(join(folder, 'muster_hba.conf'))
  for (let tries = 0; tries < 2; tries++) await assert.rejects(peerSettings(cluster))
  assert.deepEqual((await readdir(folder)).toSorted(), ['muster_hba.conf', 'pg_hba.conf'])
})

const rules = '# comment\nlocal   all   all   trust\nhost all all 127.0.0.1/32 trust\n'

async function makeCluster(dataDir: string): Promise<{ cluster: Cluster; folder: string }> {
  const folder = join(dataDir, 'postgres')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'pg_hba.conf'), rules)
  const none = { socketDir: '', logFile: '', postgresProgram: '', user: undefined }
  return { cluster: { dataDir, folder, ...none }, folder }
}
