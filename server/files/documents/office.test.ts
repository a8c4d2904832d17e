import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { strToU8, unzipSync, zipSync, type Zippable } from 'fflate'
import { makeDocx, makeXlsx } from '../test-files.ts'
import { documentBounds, readDocument } from './read-document.ts'

async function read(bytes: Uint8Array, bounds: Partial<typeof documentBounds> = {}) {
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  await using document = await readDocument('office', parts(), bytes.length, {
    ...documentBounds,
    ...bounds,
  })
  if (document.refusal !== undefined) return { refusal: document.refusal }
  const text = (await Array.fromAsync(document.texts)).join('')
  return { text, pages: document.pages, mediaType: document.mediaType, isCut: document.isCut() }
}

async function refusalOf(bytes: Uint8Array): Promise<string> {
  return (await read(bytes)).refusal ?? 'it was read'
}

/** The same archive with some parts replaced. */
const changed = (bytes: Uint8Array, parts: Zippable): Uint8Array =>
  zipSync({ ...unzipSync(bytes), ...parts })

const partBytes = 1_234_567
const withPart = async (name: string): Promise<Uint8Array> =>
  changed(await makeDocx(), { [name]: new Uint8Array(partBytes) })

/** The same archive with a false size for one part in its directory. */
function claiming(bytes: Uint8Array, claimed: number): Uint8Array {
  const archive = Buffer.from(bytes)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(partBytes)
  const places = [archive.indexOf(size), archive.lastIndexOf(size)]
  for (const at of places) archive.writeUInt32LE(claimed, at)
  return archive
}

const types = { '[Content_Types].xml': strToU8('<Types/>') }

describe('a Word document', () => {
  it('gives its text with lists, tables and footnotes', async () => {
    const found = await read(await makeDocx())
    const text = [
      'Pump report 漢字',
      'Seal <A> & B are worn[1], see the manual [https://a.example/manual].',
      ' * Order seals',
      '| Part Spare | Count\n| Seal | 12',
      ' 1. By the workshop',
    ]
    assert.deepEqual(
      { ...found, text: found.text?.trim().split('\n\n') },
      {
        text,
        pages: null,
        mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        isCut: false,
      },
    )
  })

  it('that is damaged is refused', async () => {
    const docx = await makeDocx()
    assert.match(await refusalOf(docx.subarray(0, 3_000)), /the file is a damaged ZIP archive/)
    const noBody = changed(docx, { 'word/document.xml': strToU8('<not') })
    assert.match(await refusalOf(noBody), /the Word document is damaged/)
    const empty = zipSync({ ...types, 'word/x.xml': strToU8('') })
    assert.match(await refusalOf(empty), /the Word document is damaged/)
  })
})

describe('an Excel workbook', () => {
  it('gives each sheet as CSV, of formulas the values that were saved', async () => {
    const xlsx = await makeXlsx({
      Prices: [
        ['Part', 'Since', 'Price'],
        ['Seal "A", large', new Date(Date.UTC(2026, 1, 3)), 1.5],
        [null, null, true],
      ],
      Empty: [],
    })
    const name = 'xl/worksheets/sheet1.xml'
    const sheet = Buffer.from(unzipSync(xlsx)[name] ?? []).toString()
    const formulas =
      '<row r="9"><c r="A9"><f>1+1</f><v>2</v></c><c r="B9" t="e"><f>1/0</f><v>#DIV/0!</v></c>' +
      '<c r="C9" t="str"><f>UPPER("x")</f><v>X</v></c></row></sheetData>'
    const found = await read(
      changed(xlsx, { [name]: strToU8(sheet.replace('</sheetData>', formulas)) }),
    )
    assert.deepEqual(found, {
      text: 'Sheet: Prices\nPart,Since,Price\n"Seal ""A"", large",2026-02-03,1.5\n,,true\n\n2,,X\n\nSheet: Empty\n',
      pages: null,
      mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      isCut: false,
    })
  })

  it('without a cell has no text', async () => {
    assert.equal((await read(await makeXlsx({ Empty: [] }))).text, '')
  })

  it('that is damaged is refused', async () => {
    const name = 'xl/worksheets/sheet1.xml'
    const damaged = changed(await makeXlsx({ A: [['x']] }), { [name]: strToU8('<worksheet><') })
    assert.match(await refusalOf(damaged), /the Excel workbook is damaged/)
  })
})

describe('an archive', () => {
  it('of something else is refused with its name', async () => {
    const part = strToU8('x')
    const slides = zipSync({ ...types, 'ppt/presentation.xml': part })
    assert.match(await refusalOf(slides), /a PowerPoint presentation, .*save it as PDF$/)
    const binary = zipSync({ ...types, 'xl/workbook.bin': part })
    assert.match(await refusalOf(binary), /a binary Excel workbook \(\.xlsb\)/)
    const open = zipSync({ mimetype: part, 'content.xml': part })
    assert.match(await refusalOf(open), /an OpenDocument file/)
    assert.match(await refusalOf(zipSync({ 'a.txt': part })), /a ZIP archive of something else/)
    assert.match(await refusalOf(strToU8('PK\x03\x04 and no more')), /a damaged ZIP archive/)
  })

  it('with a password is refused', async () => {
    const locked = await makeDocx()
    locked[6] = 1
    assert.match(await refusalOf(locked), /encrypted with a password; save it without one/)
  })

  it('with too many entries, or too much in them, is refused before it is unpacked', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_001 }, (_, index) => [`word/${index}`, new Uint8Array()]),
    )
    assert.match(
      await refusalOf(zipSync({ ...types, ...many }, { level: 0 })),
      /more than 10000 entries/,
    )
    const mb = 1024 * 1024
    const bomb = claiming(await withPart('word/document.xml'), 70 * mb)
    assert.match(await refusalOf(bomb), /unpacks to more than 64 MB/)
    // Pictures are not unpacked, so their size does not matter.
    const picture = claiming(await withPart('word/media/image1.png'), 70 * mb)
    assert.match((await read(picture)).text ?? '', /Pump report/)
  })

  it('that claims less than it has is refused', async () => {
    const bomb = claiming(await withPart('word/document.xml'), 9)
    assert.match(await refusalOf(bomb), /damaged/)
  })

  it('that takes too long or too much memory ends its thread, not the process', async () => {
    const found = await read(await makeDocx(), { maxMs: 1 })
    assert.equal(found.refusal, 'the file cannot be read: it takes more than 0.001 s')
    const name = 'xl/worksheets/sheet1.xml'
    const rows = Array.from(
      { length: 20_000 },
      (_, row) => `<row r="${row + 1}"><c r="XFD${row + 1}"><v>1</v></c></row>`,
    )
    const wide = changed(await makeXlsx({ A: [['x']] }), {
      [name]: strToU8(`<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`),
    })
    assert.equal(await refusalOf(wide), 'the file cannot be read: it takes too much memory')
  })
})
