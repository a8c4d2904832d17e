import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { codeOf } from '../../test/api-client.ts'
import { complete, startTestApp } from '../../test/test-app.ts'
import { makePdf, upload } from './test-files.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

let workflowId: string

const app = fixture(() =>
  startTestApp({
    intervals: { filesMs: 50 },
    // A run with the input `fail` fails, and one with `ask` waits.
    answer: (request, response) => {
      const prompt = JSON.stringify(request.messages)
      if (prompt.includes('fail')) response.writeHead(400).end('{}')
      else complete(response, 'done')
    },
  }),
)
prepare(async () => {
  workflowId = await app.createWorkflow({ crew: [{ role: 'clerk', systemPrompt: 's' }] })
})

const trigger = (body: object, options = {}) =>
  app.call('POST', `/v1/workflows/${workflowId}/runs`, { body, ...options })
async function makeFile(name: string): Promise<string> {
  return (await upload(app, `text of ${name}`, name)).body.data.id
}

describe('files of a run', () => {
  it('are those that it was triggered with, in their order, also once they are deleted', async () => {
    const pdf = (await upload(app, await makePdf(['One', 'Two']), 'b.pdf')).body.data
    const text = await makeFile('a.md')
    const { status, body } = await trigger({ input: 'go', files: [pdf.id, text] })
    assert.equal(status, 202, JSON.stringify(body))
    const { files } = await app.rest(body.data.id)
    assert.deepEqual(files.outputs, [])
    assert.deepEqual(files.inputs[0], {
      id: pdf.id,
      name: 'b.pdf',
      media_type: 'application/pdf',
      bytes: pdf.bytes,
      pages: 2,
      text_status: 'complete',
      text_chars: 6,
      deleted: false,
    })
    assert.equal(files.inputs[1].id, text)
    assert.equal((await app.call('DELETE', `/v1/files/${pdf.id}`)).status, 200)
    const [gone] = (await app.rest(body.data.id)).files.inputs
    const { id, name, deleted, pages, text_status } = gone
    assert.deepEqual(
      { id, name, deleted, pages, text_status },
      { id: pdf.id, name: 'b.pdf', deleted: true, pages: null, text_status: null },
    )
  })

  it('are none for a run that was given none', async () => {
    const { body } = await trigger({ input: 'go', files: [] })
    assert.deepEqual((await app.rest(body.data.id)).files, { inputs: [], outputs: [] })
  })

  it('are refused where one is unknown, named twice or one too many, and no run is made', async () => {
    const own = await makeFile('own.txt')
    const other = await createAccount(app.database, 'other')
    const headers = { authorization: `Bearer ${other.adminKey}` }
    const foreign = (await upload(app, 'foreign', 'f.txt', headers)).body.data.id
    const count = async () => (await app.get(`/v1/workflows/${workflowId}/runs?limit=100`)).length
    const before = await count()
    for (const [files, code, param] of [
      [[own, 'file_x'], 'unknown_file', 'files[1]'],
      [[foreign], 'unknown_file', 'files[0]'],
      [[own, own], 'invalid_value', 'files[1]'],
      [Array.from({ length: 21 }, (_, n) => `file_${n}`), 'array_too_long', 'files'],
    ] as const) {
      const { status, body } = await trigger({ input: 'go', files })
      assert.deepEqual([status, body.error.code, body.error.param], [400, code, param])
    }
    const { body } = await trigger({ input: 'go', files: [foreign] })
    assert.match(body.error.message, new RegExp(`files\\[0\\] is ${foreign}`))
    assert.equal(await count(), before)
  })

  it('belong to what an Idempotency-Key compares', async () => {
    const [a, b] = [await makeFile('a.txt'), await makeFile('b.txt')]
    const headers = { 'idempotency-key': 'files-1' }
    const first = await trigger({ input: 'go', files: [a] }, { headers })
    const again = await trigger({ input: 'go', files: [a] }, { headers })
    assert.equal(again.body.data.id, first.body.data.id)
    assert.equal((await trigger({ input: 'go', files: [b] }, { headers })).status, 422)
    assert.equal((await app.rest(first.body.data.id)).files.inputs.length, 1)
  })

  it('cannot be deleted before the run has ended', async () => {
    await using waiting = await startTestApp({ role: 'api' })
    const file = (await upload(waiting, 'used', 'used.txt')).body.data.id
    const run = await waiting.trigger(await waiting.createWorkflow(), { input: 'x', files: [file] })
    const refused = await waiting.call('DELETE', `/v1/files/${file}`)
    assert.deepEqual(codeOf(refused), [409, 'file_in_use'])
    assert.match(refused.body.error.message, new RegExp(run))
    await waiting.post(`/v1/runs/${run}/cancel`)
    await waiting.delete(`/v1/files/${file}`)
  })

  it('go on to a retry, unless one was deleted', async () => {
    const id = await makeFile('kept.txt')
    const failed = await app.run(workflowId, { input: 'fail', files: [id] })
    assert.equal(failed.status, 'failed')
    const retry = await app.post(`/v1/runs/${failed.id}/retry`)
    assert.deepEqual(pluck((await app.rest(retry.id)).files.inputs, 'id'), [id])
    await app.delete(`/v1/files/${id}`)
    const late = await app.call('POST', `/v1/runs/${failed.id}/retry`)
    assert.deepEqual(codeOf(late), [409, 'file_deleted'])
  })
})
