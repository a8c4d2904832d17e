import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { s3Keys, startS3Server } from '../../rig/s3-server.ts'
import { until } from '../../rig/until.ts'
import { codeOf, callApi } from '../../test/api-client.ts'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { backUp } from '../start/backup.ts'
import { readConfig } from '../start/config.ts'
import { chunksOf, makePdf, upload } from './test-files.ts'
import { fixture } from '../../test/fixture.ts'

describe('files in a bucket', () => {
  const text = 'line\n'.repeat(1_000_000)

  const server = fixture(() => startS3Server())
  const env = () => ({
    MUSTER_FILES_URL: `s3://files/muster?endpoint=${server.url}`,
    MUSTER_FILES_ACCESS_KEY_ID: s3Keys.accessKeyId,
    MUSTER_FILES_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
  })
  const app = fixture(() => startTestApp({ env: env(), intervals: { filesMs: 50 } }))

  const download = (id: string, url = app.url, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/files/${id}/content`, {
      headers: { authorization: `Bearer ${app.key}`, ...headers },
    })
  const rowOf = (id: string) =>
    app.database
      .selectFrom('files')
      .innerJoin('file_contents', (join) =>
        join
          .onRef('file_contents.account_id', '=', 'files.account_id')
          .onRef('file_contents.id', '=', 'files.content_id'),
      )
      .select(['file_contents.id', 'file_contents.store'])
      .where('files.id', '=', id)
      .executeTakeFirstOrThrow()

  it('come and go as those in the database do', async () => {
    const { id, text_chars } = (await upload(app, text, 'a.txt')).body.data
    assert.equal(text_chars, text.length)
    const { id: contentId, store } = await rowOf(id)
    assert.equal(store, 's3://files/muster')
    assert.equal(await chunksOf(app.database, contentId), 0)
    assert.equal(server.objects.size, 2)
    assert.equal(await (await download(id)).text(), text)
    const part = await download(id, app.url, { range: 'bytes=4194300-4194309' })
    assert.equal(await part.text(), text.slice(4_194_300, 4_194_310))
    const before = server.requests.length
    const method = 'HEAD'
    const headers = { authorization: `Bearer ${app.key}`, range: 'bytes=0-9' }
    const head = await fetch(`${app.url}/v1/files/${id}/content`, { method, headers })
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(text.length)])
    assert.equal(server.requests.length, before, 'HEAD reads nothing')
    const pdf = (await upload(app, await makePdf(['One', 'Two']), 'a.pdf')).body.data
    assert.deepEqual([pdf.pages, pdf.text_status], [2, 'complete'])
    for (const file of [id, pdf.id]) {
      assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 200)
    }
    await until('both are gone', 20_000, () => server.objects.size === 0)
  })

  it('are refused with 503 while the bucket is away, and all else goes on', async () => {
    const { id } = (await upload(app, text, 'a.txt')).body.data
    server.trouble = (_request, response) => {
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
      return 'taken'
    }
    const sent = await upload(app, text, 'b.txt')
    assert.deepEqual(codeOf(sent), [503, 'files_unavailable'])
    assert.equal(sent.headers.get('retry-after'), '10')
    const read = await download(id)
    assert.equal(read.status, 503)
    assert.equal(read.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(read.headers.get('content-disposition'), null)
    assert.equal((await fetch(`${app.url}/readyz`)).status, 200)
    assert.equal((await app.call('GET', `/v1/files/${id}`)).status, 200)

    const { id: contentId } = await rowOf(id)
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 200)
    const left = () =>
      app.database
        .selectFrom('file_contents')
        .select(['state', 'due_at'])
        .where('id', '=', contentId)
        .executeTakeFirst()
    const tried = server.requests.length
    const isTried = () => server.requests.slice(tried).some((one) => one.startsWith('DELETE'))
    await until('a deletion is tried', 20_000, isTried)
    assert.equal((await left())?.state, 'dropping')
    server.trouble = undefined
    // Makes the deletion due.
    await app.sql`update file_contents set due_at = ${new Date(0)}`
    const isGone = async () => (await left()) === undefined && server.objects.size === 0
    await until('it is gone', 20_000, isGone)
  })

  it('leave nothing where a piece is stored after its upload was given up', async () => {
    const late: string[] = []
    server.trouble = (request, response) => {
      if (!request.startsWith('PUT ')) return undefined
      late.push(request.slice('PUT '.length))
      response.destroy()
      return 'taken'
    }
    assert.equal((await upload(app, text, 'a.txt')).status, 503)
    server.trouble = undefined
    const [name = ''] = late
    const contentId = name.split('/').at(-2) ?? ''
    const rows = await app.sql`
      select due_at > now() + interval '5 minutes' as "isLater" from file_contents
      where id = ${contentId}`
    assert.deepEqual(rows, [{ isLater: true }])
    server.objects.set(name, Buffer.from(text))
    await app.sql`update file_contents set due_at = ${new Date(0)} where id = ${contentId}`
    await until('it is gone', 20_000, () => !server.objects.has(name))
  })

  it('are not in a backup, which says so', async () => {
    const { id } = (await upload(app, text, 'a.txt')).body.data
    await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-bucket-'))
    const config = readConfig({ DATABASE_URL: app.databaseUrl, MUSTER_DATA_DIR: folder.path })
    const file = join(folder.path, 'backup')
    const made = await backUp(config, file, { withKey: false, log: () => {} })
    assert.deepEqual(made.files_elsewhere, [{ store: 's3://files/muster', files: 1 }])
    await app.call('DELETE', `/v1/files/${id}`)
  })

  it('stay where they are when the setting changes', async () => {
    const { id } = (await upload(app, 'in the bucket', 'a.txt')).body.data
    const url = env()['MUSTER_FILES_URL'] ?? ''
    const moved = { MUSTER_FILES_URL: '', MUSTER_FILES_OTHER_URLS: url }
    await using other = await app.startAnother('api', moved)
    const call: TestApp['call'] = (...asked) => callApi(other.url ?? '', app.key, ...asked)
    const inDatabase = (await upload({ call }, 'in the database', 'b.txt')).body.data
    assert.equal((await rowOf(inDatabase.id)).store, 'database')
    assert.equal(await (await download(id, other.url)).text(), 'in the bucket')
    assert.equal(await (await download(inDatabase.id)).text(), 'in the database')
    await using without = await app.startAnother('api', { MUSTER_FILES_URL: '' })
    const refused = await download(id, without.url)
    assert.equal(refused.status, 503)
    assert.match(await refused.text(), /the store that it is in is not configured/)
  })
})
