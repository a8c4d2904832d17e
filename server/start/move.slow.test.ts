import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { createWorkflow } from '../../rig/api.ts'
import { connectTo, connectToEmbedded } from '../../rig/bench-database.ts'
import { waitForCompleted } from '../../rig/completed.ts'
import { until } from '../../rig/until.ts'
import { startModelProcess } from '../../rig/model-process.ts'
import { adminKey, startMuster } from '../../rig/muster-process.ts'
import { makeScratchFolder } from '../../rig/scratch-folder.ts'
import { callApi } from '../../test/api-client.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { makePdf, upload } from '../files/test-files.ts'
import { backUp, moveDatabase, restoreFrom } from './backup.ts'
import { readConfig } from './config.ts'

it('a backup under load is restored elsewhere, where every run ends, and moves there and back', async () => {
  await using folder = await makeScratchFolder()
  await using testDatabase = await createTestDatabase()
  await using models = await startModelProcess(20)
  const log = (): void => {}
  const dataDir = join(folder.path, 'data')
  const env = {
    MUSTER_DATA_DIR: dataDir,
    MUSTER_MODELS_FILE: await models.writeModelsFile(folder.path),
  }
  const file = join(folder.path, 'backup')
  let accepted = 0
  const book = await makePdf(['Chapter one'], { noiseBytes: 2_500_000 })
  let bookId = ''
  const hasBook = async (url: string): Promise<void> => {
    const headers = { authorization: `Bearer ${adminKey}` }
    const answer = await fetch(`${url}/v1/files/${bookId}/content`, { headers })
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(book))
  }
  {
    await using muster = await startMuster({ folder: folder.path, env })
    const call = (method: string, at: string, options = {}) =>
      callApi(muster.url, adminKey, method, at, options)
    bookId = (await upload({ call }, book, 'book.pdf')).body.data.id
    const path = `/v1/workflows/${await createWorkflow(muster.url)}/runs`
    const over = new AbortController()
    const load = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const { status } = await callApi(muster.url, adminKey, 'POST', path, {
          body: { input: '#1# go' },
        })
        if (status === 202) accepted += 1
      }
    }
    const loads = Array.from({ length: 8 }, load)
    await until('200 runs were accepted', 60_000, () => accepted >= 200)
    await backUp(readConfig(env), file, { withKey: true, log })
    over.abort()
    await Promise.all(loads)
  }
  const elsewhere = { ...env, MUSTER_DATA_DIR: join(folder.path, 'elsewhere') }
  const { tables } = await restoreFrom(readConfig(elsewhere), file, log)
  const known = tables['runs'] ?? 0
  console.log(`backup of ${known} runs, of ${accepted} accepted until its end`)
  assert.ok(known >= 200 && known <= accepted)
  {
    await using muster = await startMuster({ folder: folder.path, env: elsewhere })
    await hasBook(muster.url)
    await using database = await connectToEmbedded(elsewhere.MUSTER_DATA_DIR)
    await waitForCompleted(database, known, 60_000)
  }
  const config = readConfig({ ...elsewhere, DATABASE_URL: testDatabase.url })
  assert.equal((await moveDatabase(config, 'external', log)).tables['runs'], known)
  await using external = await connectTo(testDatabase.url)
  const [epoch] = await external.query(
    'select reason, in_doubt from epochs order by number desc limit 1',
  )
  assert.deepEqual(epoch, { reason: 'copied', in_doubt: false })
  const secretKey = await readFile(join(elsewhere.MUSTER_DATA_DIR, 'secret-key'), 'utf8')
  const keyed = { ...elsewhere, MUSTER_SECRET_KEY: secretKey.trim() }
  {
    const there = { ...keyed, DATABASE_URL: testDatabase.url }
    await using muster = await startMuster({ folder: folder.path, env: there })
    await hasBook(muster.url)
  }

  const back = { ...config, dataDir: join(folder.path, 'back') }
  assert.equal((await moveDatabase(back, 'embedded', log)).tables['runs'], known)
  const home = { ...keyed, MUSTER_DATA_DIR: back.dataDir }
  await using muster = await startMuster({ folder: folder.path, env: home })
  await hasBook(muster.url)
})
