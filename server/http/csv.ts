type Columns<Item> = (readonly [
  name: string,
  of: (item: Item) => string | number | null | undefined,
])[]

/** CSV by RFC 4180: a line of column names, then a line for each item. */
export function toCsv<Item>(columns: Columns<Item>, items: Item[]): string {
  return csvHead(columns) + items.map((item) => csvLine(columns, item)).join('')
}

/** The line of column names. */
export function csvHead<Item>(columns: Columns<Item>): string {
  return `${columns.map(([name]) => name).join(',')}\r\n`
}

export function csvLine<Item>(columns: Columns<Item>, item: Item): string {
  return `${columns.map(([, of]) => toCell(of(item) ?? '')).join(',')}\r\n`
}

/** Prevents spreadsheets from reading a text as a formula, by its first character. */
function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
