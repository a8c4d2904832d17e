import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { until } from '../../rig/until.ts'
import { startTestApp } from '../../test/test-app.ts'
import { dropContent } from './store.ts'
import { chunksOf, makeDocx, makePdf, makePng, makeXlsx, upload } from './test-files.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp({ role: 'api', intervals: { filesMs: 50 } }))

const send = (content: Uint8Array | string, name: string, headers = {}) =>
  upload(app, content, name, headers)

async function download(id: string, headers: Record<string, string> = {}): Promise<Response> {
  const authorization = `Bearer ${app.key}`
  return fetch(`${app.url}/v1/files/${id}/content`, { headers: { authorization, ...headers } })
}

describe('a file', () => {
  it('is what its bytes say, and comes back byte for byte', async () => {
    const text = `# Überschrift\n${'x'.repeat(100)}\n`.repeat(20_000)
    const { status, body } = await send(text, '../notes.md')
    assert.equal(status, 201, JSON.stringify(body))
    const { id, created_at, ...file } = body.data
    assert.match(id, /^file_\w{26}$/)
    assert.ok(!Number.isNaN(Date.parse(created_at)))
    assert.deepEqual(file, {
      name: 'notes.md',
      media_type: 'text/markdown',
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      pages: null,
      width: null,
      height: null,
      text_status: 'complete',
      text_chars: text.length,
    })
    assert.deepEqual(await app.get(`/v1/files/${id}`), body.data)
    const content = await download(id)
    assert.equal(await content.text(), text)
    const shown = [
      'content-type',
      'content-disposition',
      'x-content-type-options',
      'content-length',
    ]
    assert.deepEqual(
      shown.map((name) => content.headers.get(name)),
      [
        'text/markdown; charset=utf-8',
        `attachment; filename="notes.md"; filename*=UTF-8''notes.md`,
        'nosniff',
        String(Buffer.byteLength(text)),
      ],
    )
    assert.match(content.headers.get('content-security-policy') ?? '', /sandbox/)
  })

  it('is sent in part where a range is asked for', async () => {
    const text = 'abcdefghij'.repeat(250_000)
    const { id } = (await send(text, 'a.txt')).body.data
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 10],
      ['bytes=1048570-1048585', 1_048_570, 1_048_586],
      ['bytes=2499990-', 2_499_990, 2_500_000],
      ['bytes=-5', 2_499_995, 2_500_000],
      ['bytes=2499999-9999999', 2_499_999, 2_500_000],
    ] as const) {
      const answer = await download(id, { range })
      assert.equal(answer.status, 206, range)
      assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end - 1}/2500000`)
      assert.equal(await answer.text(), text.slice(start, end))
    }
    for (const range of ['bytes=9999999-', 'bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-']) {
      const answer = await download(id, { range })
      assert.equal(answer.status, 200, range)
      await answer.body?.cancel()
    }
  })

  it('has the type that its name gives to text, and that its bytes give to all else', async () => {
    const office = 'application/vnd.openxmlformats-officedocument'
    const cases: [content: Uint8Array | string, name: string, type: string][] = [
      ['a,b\n1,2\n', 'table.CSV', 'text/csv'],
      ['{"a":1}', 'data.json', 'application/json'],
      ['<script>alert(1)</script>', 'page.html', 'text/plain'],
      ['<svg onload="alert(1)"/>', 'drawing.svg', 'text/plain'],
      ['no name says what', 'README', 'text/plain'],
      [makePng(3, 4), 'picture.txt', 'image/png'],
      [Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'), 'a', 'image/gif'],
      [await makePdf(['Hello']), 'a.md', 'application/pdf'],
      [Buffer.concat([Buffer.from('mail\n'), await makePdf(['Hello'])]), 'a', 'application/pdf'],
      [await makeDocx(), 'a.zip', `${office}.wordprocessingml.document`],
      [await makeXlsx({ A: [['x']] }), 'a', `${office}.spreadsheetml.sheet`],
      ['A PDF begins with `%PDF-1.7`.', 'formats.md', 'text/markdown'],
    ]
    for (const [content, name, type] of cases) {
      const { status, body } = await send(content, name)
      assert.equal(status, 201, `${name}: ${JSON.stringify(body)}`)
      assert.equal(body.data.media_type, type, name)
    }
    const png = (await send(makePng(640, 480), 'a.png')).body.data
    assert.deepEqual([png.width, png.height, png.text_status], [640, 480, null])
  })

  it('is refused in words that say what to do', async () => {
    const encryptedOffice = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ])
    const cases: [content: Uint8Array | string, why: RegExp][] = [
      ['', /the file is empty/],
      [Buffer.from('Größe', 'latin1'), /not UTF-8; save it as UTF-8/],
      [Buffer.from(`${'x'.repeat(2_000_000)}Größe`, 'latin1'), /not UTF-8; save it as UTF-8/],
      [Buffer.from('\uFEFFabc', 'utf16le'), /UTF-16; save it as UTF-8/],
      [Buffer.from('504b030414000600', 'hex'), /the file is a damaged ZIP archive/],
      [Buffer.from('d0cf11e0a1b11ae100', 'hex'), /of an old Office, or encrypted; save it as DOCX/],
      [encryptedOffice, /encrypted with a password; save it without one/],
      [Buffer.from([1, 2, 0, 3]), /no known type; expected UTF-8 text, Markdown, CSV/],
      [Buffer.from('1f8b0801ffe9a7c3', 'hex'), /no known type/],
      [`${'x'.repeat(2_000_000)}\0`, /holds a NUL/],
      [makePng(100_000, 100_000), /has 100000 × 100000 pixels, expected up to 20000 a side/],
      [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /the image\/png is damaged/],
      ['%PDF-1.7 nothing else', /the PDF is damaged/],
    ]
    for (const [content, why] of cases) {
      const { status, body } = await send(content, 'a.txt')
      assert.equal(status, 400, JSON.stringify(body))
      assert.equal(body.error.code, 'invalid_file')
      assert.match(body.error.message, why)
    }
  })

  it('has up to 32 MB', async () => {
    const bytes = Buffer.alloc(32 * 1024 * 1024, 'a line of text\n')
    assert.equal((await send(bytes, 'a.txt')).status, 201)
    const { status, body } = await send(Buffer.concat([bytes, Buffer.from('x')]), 'a.txt')
    assert.deepEqual([status, body.error.code], [413, 'file_too_large'])
    await app.call('DELETE', `/v1/files/${(await app.get('/v1/files?limit=1'))[0].id}`)
  })

  it('comes as the one part named file of a multipart body', async () => {
    const post = async (body: FormData | string, headers = {}) => {
      const authorization = `Bearer ${app.key}`
      const init = { method: 'POST', headers: { authorization, ...headers }, body }
      const answer = await fetch(`${app.url}/v1/files`, init)
      const { error } = (await answer.json()) as { error: { code: string; param?: string } }
      return [answer.status, error.code, ...(error.param === undefined ? [] : [error.param])]
    }
    const other = new FormData()
    other.append('document', new Blob(['x']), 'a.txt')
    assert.deepEqual(await post(other), [400, 'unknown_field', 'document'])
    const two = new FormData()
    two.append('file', new Blob(['x']), 'a.txt')
    two.append('file', new Blob(['y']), 'b.txt')
    assert.deepEqual(await post(two), [400, 'unknown_field', 'file'])
    assert.deepEqual(await post(new FormData()), [400, 'required', 'file'])
    const json = { 'content-type': 'application/json' }
    assert.deepEqual(await post('{}', json), [415, 'unsupported_media_type'])
    const parts = { 'content-type': 'multipart/form-data; boundary=x' }
    const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    for (const cut of ['', '--x\r\ncontent-disp', `${head}abc`, `${head}abc\r\n--`]) {
      assert.deepEqual(await post(cut, parts), [400, 'invalid_request'], cut)
    }
    const nameless = head.replace('; name="file"', '')
    assert.deepEqual(await post(`${nameless}abc\r\n--x--`, parts), [400, 'unknown_field'])
    const without = { 'content-type': 'multipart/form-data' }
    assert.deepEqual(await post('x', without), [400, 'invalid_request'])
  })

  it('is made once under one Idempotency-Key, which another file or name cannot use', async () => {
    const key = { 'idempotency-key': 'upload-1' }
    const first = await send('the same', 'a.txt', key)
    const again = await send('the same', 'a.txt', key)
    assert.equal(again.body.data.id, first.body.data.id)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal((await send('another', 'a.txt', key)).status, 422)
    assert.equal((await send('the same', 'b.txt', key)).status, 422)
  })

  it('is listed with others of its account, newest first, a page at a time', async () => {
    const other = await createAccount(app.database, 'lister')
    const key = { authorization: `Bearer ${other.adminKey}` }
    for (const name of ['1.txt', '2.txt', '3.txt']) await send(name, name, key)
    const pages = await app.pages('/v1/files?limit=2', other.adminKey)
    assert.deepEqual(
      pages.map((page) => pluck(page, 'name')),
      [['3.txt', '2.txt'], ['1.txt']],
    )
  })

  it('is refused where the account has no room, and by its operator', async () => {
    const other = await createAccount(app.database, 'full')
    const key = { authorization: `Bearer ${other.adminKey}` }
    const update = app.database.updateTable('accounts').where('id', '=', other.id)
    await update.set({ max_file_bytes: 10 }).execute()
    const { body: first } = await send('12345678', 'a.txt', key)
    const { status, body } = await send('abc', 'b.txt', key)
    assert.deepEqual([status, body.error.code], [409, 'quota_reached'])
    assert.match(body.error.message, /have 8 bytes, at most 10; delete some/)
    await app.call('DELETE', `/v1/files/${first.data.id}`, { key: other.adminKey })
    assert.equal((await send('abc', 'b.txt', key)).status, 201)
  })
})

describe('contents', () => {
  it('go when their file does, and when they never became one', async () => {
    await using worker = await app.startAnother('worker')
    assert.equal(worker.url, undefined)
    const { id } = (await send('to be deleted', 'a.txt')).body.data
    await send(Buffer.from([1, 2, 0, 3]), 'refused')
    const lost = 'cnt_lost'
    await app.sql`
      insert into file_contents (account_id, id, store, due_at)
      values (${app.accountId}, ${lost}, 'database', 'epoch')`
    await app.sql`
      insert into file_chunks (account_id, content_id, position, body)
      values (${app.accountId}, ${lost}, 0, 'x')`
    const { content_id: contentId } = await app.row`select content_id from files where id = ${id}`
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 200)
    assert.equal((await app.call('GET', `/v1/files/${id}`)).status, 404)
    assert.equal((await download(id)).status, 404)
    await until('the contents are gone', 20_000, async () => {
      const left = await app.sql`select id from file_contents where state <> 'kept'`
      return left.length === 0
    })
    for (const gone of [contentId, lost]) assert.equal(await chunksOf(app.database, gone), 0)
  })

  it('stay where whoever sent them clears up without knowing that they became a file', async () => {
    const { id } = (await send('kept, and nobody was told', 'a.txt')).body.data
    const { account_id: accountId, content_id: contentId } = await app.row`
      select account_id, content_id from files where id = ${id}`
    await dropContent(app.database, { accountId, contentId }, 'arriving')
    const { state } = await app.row`
      select state from file_contents where account_id = ${accountId} and id = ${contentId}`
    assert.equal(state, 'kept')
  })
})
