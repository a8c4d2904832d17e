import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import { makePdf } from '../test-files.ts'
import { documentBounds, readDocument } from './read-document.ts'

async function read(bytes: Uint8Array, bounds: Partial<typeof documentBounds> = {}) {
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
  }
  await using pdf = await readDocument('pdf', parts(), bytes.length, {
    ...documentBounds,
    ...bounds,
  })
  if (pdf.refusal !== undefined) return { refusal: pdf.refusal }
  const texts = await Array.fromAsync(pdf.texts)
  return { pages: pdf.pages, texts, isCut: pdf.isCut() }
}

/** A stream of a page that becomes so many bytes when it is opened. */
const bomb = (bytes: number) => () =>
  deflateSync(
    Buffer.concat([Buffer.from('BT ('), Buffer.alloc(bytes, 0x41), Buffer.from(') Tj ET')]),
  )

/** A page with a million characters of text. */
const manyLines = (text: string): Buffer =>
  deflateSync(`BT /F1 1 Tf ${`1 0 0 1 0 0 Tm (${text.padEnd(999, 'x')}) Tj\n`.repeat(1_000)} ET`)

describe('a PDF', () => {
  it('gives its text page by page, and none where a page has none', async () => {
    const texts = ['First page', '', 'Third (and last) page']
    assert.deepEqual(await read(await makePdf(texts)), { pages: 3, texts, isCut: false })
  })

  it('may lie about its pages', async () => {
    for (const claimedPages of [1, 5, 1_000_000, -1]) {
      const found = await read(await makePdf(['One', 'Two', 'Three'], { claimedPages }))
      const shown = JSON.stringify({ claimedPages, found })
      assert.ok('refusal' in found || found.texts.includes('One'), shown)
    }
  })

  it('with too many pages, a password or damage is refused', async () => {
    const many = await makePdf(Array.from({ length: 5_001 }, () => 'x'))
    assert.deepEqual(await read(many), { refusal: 'the PDF has 5001 pages, at most 5000' })
    const encrypted = Buffer.from(
      (await makePdf(['secret']))
        .toString('latin1')
        .replace(
          '/Root 1 0 R',
          `/Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'28'.repeat(32)}> ` +
            `/U <${'29'.repeat(32)}> >>`,
        ),
      'latin1',
    )
    const { refusal } = (await read(encrypted)) as { refusal: string }
    assert.match(refusal, /encrypted with a password/)
    const damaged = (await read(Buffer.from('%PDF-1.7\n garbage'))) as { refusal: string }
    assert.match(damaged.refusal, /the PDF is damaged/)
  })

  it('that becomes gigabytes ends its thread, not the process', async () => {
    const stream = bomb(400_000_000)
    const bytes = await makePdf(['bomb'], { stream })
    assert.ok(bytes.length < 1_000_000)
    const before = process.memoryUsage().rss
    const found = await read(bytes)
    assert.ok('refusal' in found || found.isCut, JSON.stringify(found).slice(0, 200))
    const after = process.memoryUsage().rss
    assert.ok(after - before < 400_000_000, `${(after - before) / 1e6} MB`)
  })

  it('that takes too long is given up', async () => {
    const { refusal } = (await read(await makePdf(['x']), { maxMs: 1, checkEveryMs: 1 })) as {
      refusal: string
    }
    assert.equal(refusal, 'the PDF cannot be read: it takes more than 0.001 s')
  })

  it('has so much text, of which the beginning is kept', async () => {
    const found = await read(await makePdf(['x', 'second'], { stream: manyLines }))
    assert.ok(found.isCut)
    assert.deepEqual(
      found.texts?.map(({ length }) => length),
      [500_000, 500_000],
    )
  })
})
