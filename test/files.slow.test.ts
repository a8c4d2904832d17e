import assert from 'node:assert/strict'
import { it } from 'node:test'
import { deflateSync } from 'node:zlib'
import { adminKey, startMuster } from '../rig/muster-process.ts'
import { forgetPeak, peakMb, residentMb } from '../rig/memory.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { makePdf } from '../server/files/test-files.ts'
import { callApi } from './api-client.ts'

/** 20 MB, 400 pages of ordinary text, one of which contains the answer. */
async function makeBook(): Promise<Buffer> {
  const words = 'the river carries sand and water past old mills while people count boats'.split(
    ' ',
  )
  const pages = Array.from({ length: 400 }, (_, index) => {
    const text = Array.from({ length: 400 }, (__, at) => words[(at * 7 + index) % words.length])
    const found = index === 316 ? 'The grey heron nests beside lock number 4711.' : ''
    return `Page ${index + 1}. ${text.join(' ')}. ${found}`
  })
  return makePdf(pages, { noiseBytes: 51_000, stream: linesOf })
}

function linesOf(text: string): Buffer {
  const lines = text.match(/.{1,90}(?: |$)/g) ?? []
  return deflateSync(
    `BT /F1 8 Tf 40 760 Td 9 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`,
  )
}

it('an agent answers from page 317 of a PDF of 20 MB, in bounded memory', async (t) => {
  await using folder = await makeScratchFolder()
  const env = { MUSTER_DATA_DIR: folder.dataDir, MUSTER_RATE_LIMIT: '0' }
  await using muster = await startMuster({ folder: folder.path, env })
  const call = (method: string, path: string, body?: unknown) =>
    callApi(muster.url, adminKey, method, path, { body })
  const book = await makeBook()
  assert.ok(book.length > 20_000_000)
  const flow = await call('POST', '/v1/workflows', {
    name: 'w',
    crew: [{ role: 'reader', systemPrompt: 'You search the files and answer.' }],
  })
  const triggerPath = `/v1/workflows/${flow.body.data.id}/runs`
  // Loads everything that is loaded on first use, which must not count.
  const small = new FormData()
  small.append('file', new Blob([(await makePdf(['warm'])) as unknown as string]), 'warm.pdf')
  await call('POST', '/v1/files', small)
  const idle = await residentMb(muster.pid)
  await forgetPeak(muster.pid)

  const form = new FormData()
  form.append('file', new Blob([book as unknown as string]), 'book.pdf')
  const uploaded = await call('POST', '/v1/files', form)
  assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
  const files = [uploaded.body.data.id]
  const run = await call('POST', triggerPath, { input: 'Where does the grey heron nest?', files })
  const answer = await call('GET', `/v1/runs/${run.body.data.id}?wait=60`)
  const ended = answer.body.data
  const used = (await peakMb(muster.pid)) - idle
  t.diagnostic(`${used.toFixed(0)} MB above idle`)
  assert.equal(ended.status, 'completed', JSON.stringify(ended))
  assert.match(ended.output, /book\.pdf, page 317:[^]*lock number 4711/)
  assert.ok(used <= 130, `${used} MB above idle`)
})
