type Columns<Item> = (readonly [
  name: string,
  of: (item: Item) => string | number | null | undefined,
])[]

/** CSV as RFC 4180 has it: a line of names, then one for each item. */
export function toCsv<Item>(columns: Columns<Item>, items: Item[]): string {
  return csvHead(columns) + items.map((item) => csvLine(columns, item)).join('')
}

/** The line of names. */
export function csvHead<Item>(columns: Columns<Item>): string {
  return `${columns.map(([name]) => name).join(',')}\r\n`
}

export function csvLine<Item>(columns: Columns<Item>, item: Item): string {
  return `${columns.map(([, of]) => toCell(of(item) ?? '')).join(',')}\r\n`
}

/** A spreadsheet would take some first characters of a text for a formula. */
function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
