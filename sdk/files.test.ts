import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../rig/scripted-server.ts'
import { startTestApp } from '../test/test-app.ts'
import { Muster } from './index.ts'
import { prepare, fixture } from '../test/fixture.ts'
import { pluck } from '../test/pluck.ts'

describe('files of the SDK', () => {
  let muster: Muster

  const app = fixture(() => startTestApp())
  prepare(async () => {
    muster = new Muster({ apiKey: app.key, baseUrl: app.url })
  })

  it('go up as a text, as bytes, as a Blob and as a File, and come back', async () => {
    const text = '# Überschrift\n'
    const bytes = new TextEncoder().encode(text)
    const file = new File([bytes], 'notes.md')
    const sent = [
      await muster.files.upload(text, { name: 'a.md' }),
      await muster.files.upload(bytes.subarray(0), { name: 'a.md' }),
      await muster.files.upload(new Blob([bytes])),
      await muster.files.upload(file),
      await muster.files.upload(file, { name: 'other.csv' }),
    ]
    assert.deepEqual(pluck(sent, 'name', 'media_type'), [
      ['a.md', 'text/markdown'],
      ['a.md', 'text/markdown'],
      ['file', 'text/plain'],
      ['notes.md', 'text/markdown'],
      ['other.csv', 'text/csv'],
    ])
    for (const { id } of sent) {
      assert.equal(await (await muster.files.content(id)).text(), text)
    }
    const [{ id } = { id: '' }] = sent
    const part = await muster.files.content(id, { range: { start: 2, end: 4 } })
    assert.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.subarray(2, 4))
    assert.equal(await (await muster.files.content(id, { range: { start: 10 } })).text(), 'rift\n')
    await assert.rejects(muster.files.content('file_none'), { status: 404, code: 'not_found' })
  })

  it('are given to runs', async () => {
    const workflow = await muster.workflows.create({ name: 'Reader' })
    const { id } = await muster.files.upload('a,b\n', { name: 'a.csv' })
    const run = await muster.runs.create(workflow.id, { input: 'Read.', files: [id] })
    const { files } = await muster.runs.wait(run.id)
    assert.deepEqual(
      files.inputs.map((file) => [file.id, file.name]),
      [[id, 'a.csv']],
    )
  })

  it('stop coming when the caller has enough', async () => {
    const { id } = await muster.files.upload('x'.repeat(4_000_000), { name: 'a.txt' })
    const ending = new AbortController()
    const { body } = await muster.files.content(id, { signal: ending.signal })
    const reader = body?.getReader()
    await reader?.read()
    ending.abort(new Error('enough'))
    await assert.rejects(async () => {
      while ((await reader?.read())?.done === false);
    }, /enough/)
  })

  it('are sent again under the same key after a failure', async () => {
    const busy = { error: { type: 'unavailable', code: 'too_many_uploads', message: 'not now' } }
    await using server = await startScriptedServer((response, call) =>
      call === 1
        ? send(response, busy, 503, { 'retry-after': '0' })
        : send(response, { data: { id: 'file_1' } }, 201),
    )
    const client = new Muster({ apiKey: 'mst_x', baseUrl: server.url })
    assert.equal((await client.files.upload('text', { name: 'é.md' })).id, 'file_1')
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 2)
    assert.equal(new Set(keys).size, 1)
    for (const { headers } of server.requests) {
      assert.match(String(headers['content-type']), /^multipart\/form-data; boundary=/)
    }
  })
})
