/** CSV as RFC 4180 has it: a line of names, then one for each item. */
export function toCsv<Item>(
  columns: (readonly [name: string, of: (item: Item) => string | number | null | undefined])[],
  items: Item[],
): string {
  const rows = [
    columns.map(([name]) => name),
    ...items.map((item) => columns.map(([, of]) => toCell(of(item) ?? ''))),
  ]
  return rows.map((row) => `${row.join(',')}\r\n`).join('')
}

/** A spreadsheet would take some first characters of a text for a formula. */
function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
