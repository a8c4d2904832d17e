import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { Muster } from '../sdk/client.ts'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { readStored, restoreDatabase } from './releases/stored-database.ts'
import { testSecretKey } from './test-app.ts'

const releases = join(import.meta.dirname, 'releases')

describe('a data folder of an older version', async () => {
  for (const name of (await readdir(releases)).filter((file) => file.endsWith('.json.gz'))) {
    it(`${name} comes up, and its keys and runs are there`, async () => {
      const stored = await readStored(join(releases, name))
      await using folder = await makeScratchFolder()
      {
        await using server = await startEmbeddedServer({ dataDir: folder.dataDir })
        await restoreDatabase(server.url, stored)
      }
      const env = { MUSTER_DATA_DIR: folder.dataDir, MUSTER_SECRET_KEY: testSecretKey }
      await using service = await startMuster({ folder: folder.path, env })
      const muster = new Muster({ apiKey: stored.key, baseUrl: service.url })
      for (const run of stored.runs.filter(({ finished_at }) => finished_at !== null)) {
        assert.partialDeepStrictEqual(await muster.runs.retrieve(run.id), run)
      }
    })
  }
})
