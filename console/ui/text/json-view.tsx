import { useState, type ReactNode } from 'react'
import { Button } from '../button.tsx'
import { CopyButton } from './copy.tsx'
import { formatCount, plural } from './format.ts'
import { Text, Visible } from './text.tsx'

/** Deeper values are shown as JSON. */
const deepest = 6
const firstItems = 50
const moreItems = 200
const mostColumns = 6

/** Shows a JSON object: fields by name, lists of similar objects as tables. */
export function JsonView({ value }: { value: Record<string, unknown> }): ReactNode {
  return (
    <div className="relative">
      <div className="absolute -top-1.5 -right-2">
        <CopyButton text={JSON.stringify(value, null, 2)} label="Copy as JSON" />
      </div>
      <div className="pr-8">
        <Value value={value} depth={0} />
      </div>
    </div>
  )
}

function Value({ value, depth }: { value: unknown; depth: number }): ReactNode {
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />
  if (depth > deepest) return <Text text={JSON.stringify(value, null, 2)} mono limit={1_000} />
  if (!Array.isArray(value)) return <Fields value={value as Item} depth={depth} />
  const columns = columnsOf(value)
  if (columns !== undefined) return <Table rows={value as Item[]} columns={columns} />
  return <List items={value} depth={depth} />
}

type Item = Record<string, unknown>

function Fields({ value, depth }: { value: Item; depth: number }): ReactNode {
  const entries = Object.entries(value)
  const [shown, more] = useShown(entries)
  if (entries.length === 0) return <Faint>no fields</Faint>
  return (
    <>
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)]">
        {shown.map(([name, item]) => (
          <Field key={name} name={name} value={item} depth={depth} />
        ))}
      </dl>
      {more}
    </>
  )
}

/** Objects and lists go below their name, other values beside it. */
function Field({ name, value, depth }: { name: string; value: unknown; depth: number }): ReactNode {
  const isNested = typeof value === 'object' && value !== null && sizeOf(value) > 0
  return (
    <div className={isNested ? 'sm:col-span-2' : 'sm:col-span-2 sm:grid sm:grid-cols-subgrid'}>
      <dt className="max-w-60 font-mono text-xs leading-5.5 wrap-anywhere text-ink-faint">
        <Visible text={name} />
      </dt>
      <dd className={isNested ? 'mt-1 border-l-2 pl-4' : 'min-w-0'}>
        <Value value={value} depth={depth + 1} />
      </dd>
    </div>
  )
}

function List({ items, depth }: { items: unknown[]; depth: number }): ReactNode {
  const [shown, more] = useShown(items)
  if (items.length === 0) return <Faint>empty list</Faint>
  return (
    <>
      <ol className="grid list-decimal gap-1.5 pl-6 marker:text-xs marker:text-ink-faint">
        {shown.map((item, index) => (
          <li key={index}>
            <Value value={item} depth={depth + 1} />
          </li>
        ))}
      </ol>
      {more}
    </>
  )
}

function Table({ rows, columns }: { rows: Item[]; columns: string[] }): ReactNode {
  const [shown, more] = useShown(rows)
  return (
    <>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Table">
        <table className="w-full text-left">
          <thead>
            <tr>
              {columns.map((name) => (
                <th
                  key={name}
                  scope="col"
                  className="border-b py-1.5 pr-4 font-mono text-xs font-normal text-ink-faint"
                >
                  <Visible text={name} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={index} className="align-top">
                {columns.map((name) => (
                  <td key={name} className="max-w-96 min-w-16 border-b py-1.5 pr-4">
                    {Object.hasOwn(row, name) && <Scalar value={row[name]} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more}
    </>
  )
}

function Scalar({ value }: { value: unknown }): ReactNode {
  if (value === '') return <Faint>empty text</Faint>
  if (typeof value === 'string') return <Text text={value} limit={2_000} />
  if (value === null) return <Faint>null</Faint>
  return <span className="font-mono text-xs leading-5.5">{JSON.stringify(value)}</span>
}

function Faint({ children }: { children: ReactNode }): ReactNode {
  return <span className="text-sm text-ink-faint">{children}</span>
}

/** The first items of a long list, and a button for the rest. */
function useShown<T>(all: readonly T[]): [shown: readonly T[], more: ReactNode] {
  const [count, setCount] = useState(firstItems)
  if (all.length <= count) return [all, null]
  return [
    all.slice(0, count),
    <div key="more" className="mt-2">
      <Button onClick={() => setCount(count + moreItems)}>
        {plural(Math.min(moreItems, all.length - count), 'more', 'more')} of{' '}
        {formatCount(all.length)}
      </Button>
    </div>,
  ]
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** The columns of a list of similar, flat objects; undefined for any other list. */
function columnsOf(items: readonly unknown[]): string[] | undefined {
  if (items.length < 2) return undefined
  const names = new Set<string>()
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined
    for (const [name, value] of Object.entries(item)) {
      if (typeof value === 'object' && value !== null) return undefined
      names.add(name)
    }
    if (names.size === 0 || names.size > mostColumns) return undefined
  }
  return [...names]
}
