import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
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
