import {
  Document,
  ExternalHyperlink,
  FootnoteReferenceRun,
  HeadingLevel,
  ImageRun,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from 'docx'
import writeWorkbook from 'write-excel-file/node'
import { deflateSync } from 'node:zlib'
import type { Database } from '../db/client.ts'
import type { Answer } from '../../test/api-client.ts'
import type { TestApp } from '../../test/test-app.ts'

/** Uploads a file as a browser does. */
export async function upload(
  app: Pick<TestApp, 'call'>,
  content: Uint8Array | string,
  name: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new FormData()
  body.append('file', new Blob([content as string]), name)
  return app.call('POST', '/v1/files', { body, headers })
}

/** Makes the header of a PNG that claims a size and has no pixels. */
export function makePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(33)
  header.write('\x89PNG\r\n\x1a\n', 'latin1')
  header.writeUInt32BE(13, 8)
  header.write('IHDR', 12)
  header.writeUInt32BE(width, 16)
  header.writeUInt32BE(height, 20)
  return header
}

export interface PdfOptions {
  /** The number of pages that the file claims to have. */
  claimedPages?: number
  /** Bytes of noise on each page, to stand for pictures. */
  noiseBytes?: number
  /** The content stream of a page, in place of one with the page's words. */
  stream?: (text: string) => Buffer
}

/** Makes a PDF that has one line of text on each page; an empty text makes an empty page. */
export async function makePdf(texts: string[], options: PdfOptions = {}): Promise<Buffer> {
  const { claimedPages = texts.length, noiseBytes = 0, stream = wordsOf } = options
  const objects: Buffer[] = []
  const add = (body: string | Buffer): number =>
    objects.push(typeof body === 'string' ? Buffer.from(body) : body)
  const dictionary = (text: string, bytes: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(`<< ${text} /Length ${bytes.length} >>\nstream\n`),
      bytes,
      Buffer.from('\nendstream'),
    ])
  add('<< /Type /Catalog /Pages 2 0 R >>')
  add('')
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  const kids = texts.map((text) => {
    const content = add(dictionary('/Filter /FlateDecode', stream(text)))
    const noise = noiseBytes === 0 ? 0 : add(dictionary('', noiseOf(noiseBytes)))
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R ` +
        `/Resources << /Font << /F1 ${font} 0 R >> >> ${noise === 0 ? '' : `/Noise ${noise} 0 R `}>>`,
    )
  })
  const list = kids.map((kid) => `${kid} 0 R`).join(' ')
  objects[1] = Buffer.from(`<< /Type /Pages /Count ${claimedPages} /Kids [${list}] >>`)
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.7\n')]
  let at = 9
  const places = objects.map((body, index) => {
    const place = at
    const whole = [Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')]
    parts.push(...whole)
    at += whole.reduce((sum, { length }) => sum + length, 0)
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}` +
        `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

function wordsOf(text: string): Buffer {
  const words = text.replaceAll(/[()\\]/g, '\\$&')
  return deflateSync(text === '' ? '' : `BT /F1 12 Tf 72 700 Td (${words}) Tj ET`)
}

function noiseOf(bytes: number): Buffer {
  const noise = Buffer.alloc(bytes)
  let state = 1
  for (let at = 0; at < bytes; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    noise[at] = state >> 16
  }
  return noise
}

export async function chunksOf(database: Database, contentId: string): Promise<number> {
  const rows = await database
    .selectFrom('file_chunks')
    .select('position')
    .where('content_id', '=', contentId)
    .execute()
  return rows.length
}

/** Makes a Word document with a heading, a link, a list, a table, a picture and a footnote. */
export async function makeDocx(): Promise<Buffer> {
  const cell = (...lines: string[]) =>
    new TableCell({ children: lines.map((line) => new Paragraph(line)) })
  const document = new Document({
    footnotes: { 1: { children: [new Paragraph('By the workshop')] } },
    sections: [
      {
        children: [
          new Paragraph({ text: 'Pump report 漢字', heading: HeadingLevel.HEADING_1 }),
          new Paragraph({
            children: [
              new TextRun('Seal <A> & B are worn'),
              new FootnoteReferenceRun(1),
              new TextRun(', see '),
              new ExternalHyperlink({
                link: 'https://a.example/manual',
                children: [new TextRun('the manual')],
              }),
              new TextRun('.'),
              new ImageRun({
                type: 'png',
                data: makePng(1, 1),
                transformation: { width: 5, height: 5 },
              }),
            ],
          }),
          new Paragraph({ text: 'Order seals', bullet: { level: 0 } }),
          new Table({
            rows: [
              new TableRow({ children: [cell('Part', 'Spare'), cell('Count')] }),
              new TableRow({ children: [cell('Seal'), cell('12')] }),
            ],
          }),
        ],
      },
    ],
  })
  return Packer.toBuffer(document)
}

/** Makes an Excel workbook of sheets with rows. */
export async function makeXlsx(
  sheets: Record<string, (string | number | boolean | Date | null)[][]>,
): Promise<Buffer> {
  const given = Object.entries(sheets).map(([sheet, rows]) => ({
    sheet,
    data: rows.map((row) =>
      row.map((value) =>
        value instanceof Date ? { value, type: Date, format: 'yyyy-mm-dd' } : value,
      ),
    ),
  }))
  return writeWorkbook(given).toBuffer()
}
