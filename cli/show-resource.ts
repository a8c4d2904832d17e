import type { CommandDefinition } from './definition.ts'
import { cost, dollars, duration, shortTime, size } from './format.ts'
import { clean, fields, oneLine, table } from './output.ts'
import { views } from './views.ts'

/** Lists and overviews by the columns of a definition, if `views.ts` has no view. */
type Row = Record<string, unknown>
type Cell = string | number | boolean | string[] | null | undefined

export function showList({ id, schema, columns }: CommandDefinition, rows: object[]): string {
  const view = views.lists[id] ?? views.lists[schema]
  if (view !== undefined) return view(rows as never)
  const { labels, cells } = cellsOf(columns, 60)
  return table(rows, labels, cells)
}

export function showOne(
  { id, schema, columns, blocks, secrets }: CommandDefinition,
  one: object,
): string {
  const row = one as Row
  const view = views.ones[id] ?? views.ones[schema]
  if (view !== undefined) return view(one as never)
  const { labels, cells } = cellsOf(
    [...columns, ...secrets.filter((name) => !columns.includes(name))],
    300,
  )
  for (const name of secrets) cells[name] = () => `${String(row[name])}  (shown only once)`
  const overview = fields(
    one,
    labels.filter((label) => !blocks.includes(label)),
    cells,
    '–',
  )
  const texts = blocks.filter((name) => typeof row[name] === 'string')
  return [overview, ...texts.map((name) => `\n${clean(String(row[name]))}`)].join('\n')
}

function cellsOf(
  columns: string[],
  maxLength: number,
): { labels: string[]; cells: Record<string, (row: object) => Cell> } {
  const pairs = columns.map((column) => {
    const [path = '', label = path] = column.split(' as ')
    const name = path.split('.').at(-1) ?? path
    const cellOf = (row: object): Cell =>
      path === 'cost_usd' && isPriced(row)
        ? cost(row)
        : toCell(name, valueAt(row, path.split('.')), maxLength)
    return [label, cellOf] as const
  })
  return { labels: pairs.map(([label]) => label), cells: Object.fromEntries(pairs) }
}

function isPriced(row: object): row is Parameters<typeof cost>[0] {
  return 'cost_usd' in row && 'calls_without_price' in row
}

/** The value of a nested field; for each item if there is a list on the path. */
function valueAt(value: unknown, [name, ...rest]: string[]): unknown {
  if (name === undefined || value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((item: unknown) => valueAt(item, [name, ...rest]))
  return valueAt((value as Row)[name], rest)
}

function toCell(name: string, value: unknown, maxLength: number): Cell {
  if (name.endsWith('_at')) return typeof value === 'string' ? shortTime(value) : 'never'
  if (value == null) return undefined
  if (typeof value === 'boolean') {
    const [on, off] = name.endsWith('_enabled') ? ['on', 'off'] : ['yes', 'no']
    return value ? on : off
  }
  if (typeof value === 'number') {
    if (name.includes('usd')) return dollars(value)
    if (name.endsWith('bytes')) return size(value)
    return name.endsWith('_ms') ? duration(value) : value
  }
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.map(String)
  return oneLine(JSON.stringify(value), maxLength)
}
