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

/** A page's content stream that unpacks to this many bytes. */
const bomb = (bytes: number) => () =>
  deflateSync(
    Buffer.concat([Buffer.from('BT ('), Buffer.alloc(bytes, 0x41), Buffer.from(') Tj ET')]),
  )

/** A page with a million characters of text. */
const manyLines = (text: string): Buffer =>
  deflateSync(`BT /F1 1 Tf ${`1 0 0 1 0 0 Tm (${text.padEnd(999, 'x')}) Tj\n`.repeat(1_000)} ET`)

/** Writes a PDF with these objects, of which the first is the catalog. */
function pdfOf(objects: string[]): Buffer {
  let text = '%PDF-1.7\n'
  const rows = objects.map((body, index) => {
    const row = `${String(text.length).padStart(10, '0')} 00000 n \n`
    text += `${index + 1} 0 obj\n${body}\nendobj\n`
    return row
  })
  const count = objects.length + 1
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  text += `xref\n0 ${count}\n0000000000 65535 f \n${rows.join('')}${trailer}`
  return Buffer.from(text, 'latin1')
}

describe('a PDF', () => {
  it('gives its text page by page, and none where a page has none', async () => {
    const texts = ['First page', '', 'Third (and last) page']
    assert.deepEqual(await read(await makePdf(texts)), { pages: 3, texts, isCut: false })
  })

  it('gives text of fonts that name a character map, form fields and notes written on it', async () => {
    const stream = 'BT /F1 12 Tf 72 700 Td <82B182F182C982BF82CD> Tj ET'
    const cid =
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /FontDescriptor 7 0 R ' +
      '/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>'
    const bytes = pdfOf([
      '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [8 0 R 10 0 R] >> >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ' +
        '/Resources << /Font << /F1 5 0 R >> >> /Annots [8 0 R 9 0 R 10 0 R] >>',
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      '<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [6 0 R] >>',
      cid,
      '<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 ' +
        '/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (Customer) /V (Ada Lovelace) /Rect [0 0 10 10] >>',
      '<< /Type /Annot /Subtype /FreeText /Contents (Checked by hand) /Rect [0 20 90 40] >>',
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (Empty) /Rect [0 50 10 60] >>',
    ])
    assert.deepEqual(await read(bytes), {
      pages: 1,
      texts: ['こんにちは\nChecked by hand\nCustomer: Ada Lovelace'],
      isCut: false,
    })
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
    const { refusal } = (await read(await makePdf(['x']), { maxMs: 1 })) as {
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
