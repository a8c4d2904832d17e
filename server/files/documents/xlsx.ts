import readWorkbook, { type CellValue, type Row } from 'read-excel-file/universal'

/**
 * The sheets of an Excel workbook as CSV, each after its name; formulas have their saved values.
 */
export async function xlsxText(archive: Uint8Array<ArrayBuffer>): Promise<string> {
  const { buffer, byteOffset, byteLength } = archive
  const isWhole = byteLength === buffer.byteLength
  const sheets = await readWorkbook(
    isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength),
  )
  const texts = sheets.map(({ sheet, data }) => {
    const rows = data.map(csvRow).join('\n')
    return `Sheet: ${sheet}\n${rows.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}`
  })
  const hasCells = sheets.some(({ data }) => data.length > 0)
  return hasCells ? texts.join('\n\n') : ''
}

function csvRow(row: Row): string {
  // All rows have the width of the widest.
  const width = row.findLastIndex((cell) => cell !== null) + 1
  return row.slice(0, width).map(csvCell).join(',')
}

function csvCell(cell: CellValue | null): string {
  if (cell === null) return ''
  const text = cell instanceof Date ? formatDate(cell) : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Times in a workbook have no time zone. */
function formatDate(date: Date): string {
  return Number.isNaN(date.getTime())
    ? ''
    : date
        .toISOString()
        .replace(/\.000Z$/, '')
        .replace(/T00:00:00$/, '')
}
