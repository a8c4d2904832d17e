import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { connectTo } from '../../rig/bench-database.ts'
import { makeScratchFolder } from '../../rig/scratch-folder.ts'
import { startTestApp, testSecretKey } from '../../test/test-app.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { makePdf, upload } from '../files/test-files.ts'
import { backUp, restoreFrom } from './backup.ts'
import { readConfig, type Config } from './config.ts'
import { prepare, fixture } from '../../test/fixture.ts'

describe('a backup', () => {
  let file = ''
  /** A file of more than two megabytes whose bytes are not text. */
  let fileId = ''
  const content = makePdf(['Chapter one', 'Chapter two'], { noiseBytes: 1_100_000 })
  const log = (): void => {}
  const configOf = (url: string): Config =>
    readConfig({
      DATABASE_URL: url,
      MUSTER_SECRET_KEY: testSecretKey,
      MUSTER_DATA_DIR: join(folder.path, 'data'),
    })
  /** Characters that a reader of the format could take for parts of it. */
  const input = 'a\tb\\n\n\\.\n\\N 😀 "{}"\n'

  const folder = fixture(() => makeScratchFolder())
  const app = fixture(() => startTestApp())
  prepare(async () => {
    const crew = [{ role: 'a', systemPrompt: input }]
    const path = `/v1/workflows/${await app.createWorkflow({ crew })}/runs`
    const trigger = async () => (await app.post(path, { input })).id
    const ids = await Promise.all(Array.from({ length: 20 }, trigger))
    for (const id of ids) await app.call('GET', `/v1/runs/${id}?wait=30`)
    fileId = (await upload(app, await content, 'book.pdf')).body.data.id
    file = join(folder.path, 'backup')
    const made = await backUp(configOf(app.databaseUrl), file, { withKey: true, log })
    assert.ok(made.bytes > 1_000)
  })

  const count = async (url: string): Promise<unknown> => {
    await using database = await connectTo(url)
    return await database.query(`
      select (select md5(string_agg(runs.id || input || output, '' order by id)) from runs),
             (select md5(string_agg(id || data, '' order by id)) from events),
             (select md5(string_agg(id || crew, '' order by id)) from workflows),
             (select md5(string_agg(page || text, '' order by page)) from file_pages)`)
  }

  it('is restored as it was, in an epoch in doubt, with its key', async () => {
    await using target = await createTestDatabase()
    const config = configOf(target.url)
    const restored = await restoreFrom(config, file, log)
    assert.equal(restored.tables['runs'], 20)
    assert.equal(restored.has_secret_key, true)
    assert.deepEqual(await count(target.url), await count(app.databaseUrl))
    const key = await readFile(join(config.dataDir, 'secret-key'), 'utf8')
    assert.equal(key.trim(), testSecretKey)
    await using database = await connectTo(target.url)
    const [epoch] = await database.query(
      'select reason, in_doubt, deliveries_held from epochs order by number desc limit 1',
    )
    assert.deepEqual(epoch, { reason: 'restored', in_doubt: true, deliveries_held: true })
    await assert.rejects(restoreFrom(config, file, log), /database has accounts of Muster/)
    await using restoredApp = await app.startAnother('api', { DATABASE_URL: target.url })
    const answer = await fetch(`${restoredApp.url}/v1/files/${fileId}/content`, {
      headers: { authorization: `Bearer ${app.key}` },
    })
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(await content))
  })

  it('that is cut short or changed leaves the database empty', async () => {
    await using target = await createTestDatabase()
    const config = configOf(target.url)
    const cut = join(folder.path, 'cut')
    const whole = await readFile(file)
    await writeFile(cut, whole)
    await truncate(cut, whole.length - 100)
    await assert.rejects(restoreFrom(config, cut, log), /Cannot read the backup/)
    const changed = gunzipSync(whole).toString().replace('"w"', '"v"').replace('\tw\t', '\tv\t')
    await writeFile(cut, gzipSync(changed))
    await assert.rejects(restoreFrom(config, cut, log), /its hash is not that of its content/)
    await writeFile(cut, 'something else')
    await assert.rejects(restoreFrom(config, cut, log), /it is no backup of Muster, or damaged/)
    const newer = gunzipSync(whole).toString().replace('0018_', '0999_')
    await writeFile(cut, gzipSync(newer))
    await assert.rejects(restoreFrom(config, cut, log), /whose schema this one does not know/)
    await using database = await connectTo(target.url)
    assert.deepEqual(await database.query('select from accounts'), [])
  })

  it('that is none leaves no database behind', async () => {
    const junk = join(folder.path, 'junk')
    const dataDir = join(folder.path, 'fresh')
    const refuse = async (content: string | Buffer, why: RegExp) => {
      await writeFile(junk, content)
      const restoring = restoreFrom(readConfig({ MUSTER_DATA_DIR: dataDir }), junk, log)
      await assert.rejects(restoring, why)
      assert.equal(existsSync(dataDir), false)
    }
    const none = /^ConfigError: Cannot read the backup: /
    for (const content of ['something else', '', gzipSync('{"a": 1}\n'), gzipSync('null\n')]) {
      await refuse(content, none)
    }
    const head = { format: 'muster-backup', version: 1, made_at: 'x', release: '9.9.9' }
    for (const migrations of [undefined, {}, [], [null], [{ name: 1 }]]) {
      await refuse(gzipSync(`${JSON.stringify({ ...head, migrations })}\n`), none)
    }
    const whole = await readFile(file)
    const newer = gunzipSync(whole).toString().replace('0018_', '0999_')
    await refuse(gzipSync(newer), /schema this one does not know \(0999_/)
    // The beginning of the tables is intact.
    await refuse(whole.subarray(0, -100), /it is no backup of Muster, or damaged/)
    await refuse(gzipSync(gunzipSync(whole).subarray(0, -100)), /it ends too early/)
  })

  it('that is older than the schema of an empty database is refused, and the reason is said', async () => {
    await using target = await createTestDatabase()
    const older = join(folder.path, 'older')
    const text = gunzipSync(await readFile(file)).toString('latin1')
    const lines = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)
    // The last migration of the first line.
    const content = lines.replace(/,\s*\{[^}]*\}\]/, ']')
    const sha256 = createHash('sha256').update(content, 'latin1').digest('hex')
    const end = `${JSON.stringify({ end: true, sha256 })}\n`
    await writeFile(older, gzipSync(Buffer.from(content + end, 'latin1')))
    const why = /its schema is newer than that of the backup/
    await assert.rejects(restoreFrom(configOf(target.url), older, log), why)
  })

  it('is not made with a key that does not open what is stored', async () => {
    const other = Buffer.alloc(32, 9).toString('base64')
    const env = { DATABASE_URL: app.databaseUrl, MUSTER_SECRET_KEY: other }
    const target = join(folder.path, 'with-another-key')
    const why = /^ConfigError: Cannot back up the secret key: MUSTER_SECRET_KEY does not open/
    // Also refused during a change of the key, before all secrets are sealed with the new one.
    for (const keys of [{}, { MUSTER_SECRET_KEYS: testSecretKey }]) {
      const config = readConfig({ ...env, ...keys })
      await assert.rejects(backUp(config, target, { withKey: true, log }), why)
      assert.equal(existsSync(target), false)
    }
  })

  it('is made beside what a killed one left, and leaves nothing itself', async () => {
    const target = join(folder.path, 'again')
    await writeFile(`${target}.partial`, 'half')
    await backUp(configOf(app.databaseUrl), target, { withKey: false, log })
    const left = (await readdir(folder.path)).filter((name) => name.startsWith('again'))
    assert.deepEqual(left.toSorted(), ['again', 'again.partial'])
  })

  it('is not made over a file, nor restored under a service', async () => {
    const config = configOf(app.databaseUrl)
    await assert.rejects(backUp(config, file, { withKey: false, log }), /already exists/)
    await assert.rejects(restoreFrom(config, file, log), /a Muster works on the database/)
    const absent = join(folder.path, 'absent')
    const nowhere = join(absent, 'backup')
    await assert.rejects(restoreFrom(config, nowhere, log), /^ConfigError: Cannot restore: ENOENT/)
    await assert.rejects(
      backUp(config, nowhere, { withKey: false, log }),
      /^ConfigError: Cannot back up: ENOENT/,
    )
    // With the wrong folder, each backup would be empty.
    const elsewhere = readConfig({ MUSTER_DATA_DIR: absent })
    const empty = backUp(elsewhere, join(folder.path, 'empty'), { withKey: false, log })
    await assert.rejects(empty, /Cannot open the database: there is none in/)
    assert.equal(existsSync(absent), false)
    await app.sql`select 1`
  })
})
