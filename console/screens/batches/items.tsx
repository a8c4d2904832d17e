import { Link } from '@tanstack/react-router'
import { ListTree } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import type { Batch, BatchItem } from '../../../sdk/generated.ts'
import { useItems } from '../../data/batches.ts'
import { OutcomeList } from '../../parts/resource-list.tsx'
import { useStatus } from '../../ui/status-filter.tsx'
import { Dot } from '../../ui/status.tsx'
import { formatCost } from '../../ui/text/format.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { itemStateOf, itemStates } from './batch-state.tsx'

/** Columns for fields of the outputs; further fields are in the CSV. */
const mostFields = 5

/** The items of a batch by name, with the fields of their outputs. */
export function Items({ batch }: { batch: Batch }): ReactNode {
  const chosen = useStatus(itemStates)
  const { id, queued, running, waiting, failed } = batch
  const query = useItems(id, chosen[0], [queued, running, waiting, failed].join(' '))
  const names = (query.data ?? []).flatMap(({ output_json: output }) => Object.keys(output ?? {}))
  const fields = [...new Set(names)].slice(0, mostFields)
  // `repeat(0, …)` would make the whole list of columns invalid.
  const ofFields = fields.length === 0 ? '' : `repeat(${fields.length}, minmax(0, 1.5fr))`
  const columns = {
    '--columns': `8rem minmax(8rem, 2fr) ${ofFields} 6.5rem 4.5rem`,
  } as CSSProperties
  return (
    <div style={columns}>
      <OutcomeList
        title="Items"
        noun="items"
        query={query}
        states={itemStates}
        chosen={chosen}
        head={fields.length > 0 && <Head fields={fields} />}
        idOf={({ position }) => String(position)}
        empty={{ icon: ListTree, title: 'No matching items', help: null }}
      >
        {(item) => <Item item={item} fields={fields} />}
      </OutcomeList>
    </div>
  )
}

const grid = 'lg:grid lg:grid-cols-(--columns) lg:items-baseline'

function Head({ fields }: { fields: string[] }): ReactNode {
  return (
    <div
      aria-hidden="true"
      className={`hidden gap-x-4 border-b px-4 py-2 text-xs text-ink-faint ${grid}`}
    >
      <span>Status</span>
      <span>Item</span>
      {fields.map((field) => (
        <span key={field} className="truncate">
          {field}
        </span>
      ))}
      <span className="text-right">Cost</span>
      <span />
    </div>
  )
}

function Item({ item, fields }: { item: BatchItem; fields: string[] }): ReactNode {
  const { position, key, file, status, run_id: runId, error, output_json } = item
  const { tone, word, isLive } = itemStates[itemStateOf(item)]
  const hasCost = item.cost_usd > 0 || item.calls_without_price > 0
  const name = key ?? file ?? `Item ${position + 1}`
  return (
    <div className={`flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm ${grid}`}>
      <span className="w-28 lg:w-auto">
        <Dot tone={tone} isLive={isLive && status !== 'queued'}>
          {word}
        </Dot>
      </span>
      <span className="min-w-0 flex-1 basis-40 truncate font-medium" dir="auto" title={name}>
        {name}
        {file !== null && !name.startsWith(file) && (
          <span className="font-normal text-ink-soft"> · {file}</span>
        )}
      </span>
      {fields.map((field) => {
        const text = shownValue(output_json?.[field])
        return (
          <span
            key={field}
            className={`min-w-0 truncate max-lg:basis-full ${text === '' ? 'max-lg:hidden' : ''}`}
            title={text}
          >
            <span className="text-ink-faint lg:sr-only">{field}: </span>
            {text}
          </span>
        )
      })}
      <span className="text-right text-ink-soft tabular-nums">{hasCost && formatCost(item)}</span>
      {runId === null ? (
        <span className="hidden lg:block" />
      ) : (
        <Link
          to="/runs/$runId"
          params={{ runId }}
          className="link justify-self-end whitespace-nowrap"
        >
          View run
        </Link>
      )}
      {error !== null && <p className="said col-span-full basis-full text-bad">{error}</p>}
    </div>
  )
}

function shownValue(value: unknown): string {
  if (value == null) return ''
  return toLine(typeof value === 'string' ? value : JSON.stringify(value), 200)
}
