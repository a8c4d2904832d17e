import { unzipSync, zipSync, type UnzipFileInfo } from 'fflate'
import {
  maxArchiveEntries,
  maxUnpackedBytes,
  DocumentRefusal,
  type OpenDocument,
} from './document.ts'
import { splitText } from './split-text.ts'
import { docxText } from './docx.ts'
import { xlsxText } from './xlsx.ts'

interface Format {
  mediaType: string
  name: string
  read: (archive: Uint8Array<ArrayBuffer>) => Promise<string>
}

const word: Format = {
  mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  name: 'Word document',
  read: docxText,
}
const excel: Format = {
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  name: 'Excel workbook',
  read: xlsxText,
}

/**
 * A Word document or an Excel workbook, recognized by the parts of its archive. Only XML parts are
 * unpacked, after the sizes in the archive's index were checked; the library cuts parts that are
 * larger than the index says, so such a file counts as damaged.
 */
export async function openOffice(bytes: Uint8Array): Promise<OpenDocument> {
  const { mediaType, name, read } = formatOf(namesIn(bytes))
  let text: string
  try {
    text = await read(repackXml(bytes))
  } catch (error) {
    if (error instanceof DocumentRefusal) throw error
    throw new DocumentRefusal(`the ${name} is damaged: ${(error as Error).message}`)
  }
  const pieces = splitText(text).map((piece) => ({ text: piece, isCut: false }))
  return { mediaType, pages: null, texts: pieces }
}

function namesIn(bytes: Uint8Array): string[] {
  // Bit 0 of the first entry's flags (APPNOTE 4.4.4).
  const isEncrypted = ((bytes[6] ?? 0) & 1) === 1
  if (isEncrypted) {
    throw new DocumentRefusal('the file is encrypted with a password; save it without one')
  }
  const names: string[] = []
  unzip(bytes, ({ name }) => {
    names.push(name)
    if (names.length > maxArchiveEntries) {
      throw new DocumentRefusal(`the file is an archive of more than ${maxArchiveEntries} entries`)
    }
    return false
  })
  return names
}

function formatOf(names: string[]): Format {
  const has = (start: string) => names.some((name) => name.startsWith(start))
  if (has('[Content_Types].xml')) {
    if (has('word/')) return word
    if (has('xl/workbook.bin')) refuseFormat('a binary Excel workbook (.xlsb)', 'XLSX')
    if (has('xl/')) return excel
    if (has('ppt/')) refuseFormat('a PowerPoint presentation', 'PDF')
  }
  if (has('mimetype') && has('content.xml')) {
    refuseFormat('an OpenDocument file', 'DOCX, XLSX or PDF')
  }
  const expected = 'expected a Word document (DOCX) or an Excel workbook (XLSX)'
  throw new DocumentRefusal(`the file is a ZIP archive of something else; ${expected}`)
}

function refuseFormat(name: string, instead: string): never {
  throw new DocumentRefusal(`the file is ${name}, which cannot be read; save it as ${instead}`)
}

/** An archive with only the XML parts: pictures, fonts and macros are never unpacked. */
function repackXml(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  let unpacked = 0
  const parts = unzip(bytes, ({ name, originalSize }) => {
    if (!/\.(xml|rels)$/i.test(name)) return false
    unpacked += originalSize
    if (unpacked > maxUnpackedBytes) {
      const most = `${maxUnpackedBytes / 1024 / 1024} MB`
      throw new DocumentRefusal(`the file unpacks to more than ${most}, which is too much`)
    }
    return true
  })
  return zipSync(parts, { level: 0 })
}

function unzip(
  bytes: Uint8Array,
  filter: (entry: UnzipFileInfo) => boolean,
): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter })
  } catch (error) {
    if (error instanceof DocumentRefusal) throw error
    throw new DocumentRefusal(`the file is a damaged ZIP archive: ${(error as Error).message}`)
  }
}
