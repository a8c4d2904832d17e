import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  CirclePause,
  Clock3,
  Hourglass,
  MessageSquareText,
  TriangleAlert,
  Wrench,
  type LucideIcon,
} from 'lucide-react'
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import type { Step } from '../../../sdk/generated.ts'
import { formatCount, formatSpan, formatCost, plural } from '../../ui/text/format.ts'
import { useKeys } from '../../ui/keys.ts'
import { useIsPrinting } from '../../ui/text/printing.ts'
import { callState } from '../../parts/run/call-words.ts'
import type { Scale } from './scale.ts'
import type { Row } from './timeline.ts'

const rowHeight = 36

interface Props {
  rows: readonly Row[]
  scale: Scale
  now: number
  selected: string | undefined
  select: (id: string) => void
}

/** Rows on the left, their times on the right; only visible rows are rendered. */
export function TimelineView({ rows, scale, now, selected, select }: Props): ReactNode {
  const list = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const isPrinting = useIsPrinting()
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    // On paper there are all.
    overscan: isPrinting ? rows.length : 8,
    scrollMargin: top,
    // A new function would measure every row again at each scroll.
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
  })
  // A key that is held down repeats faster than the URL changes.
  const current = useRef(selected)
  useEffect(() => {
    current.current = selected
  }, [selected])
  const step = (by: 1 | -1) => {
    const index = rows.findIndex(({ id }) => id === current.current)
    const next = rows[index === -1 ? 0 : index + by]
    if (next === undefined) return
    current.current = next.id
    select(next.id)
    virtual.scrollToIndex(rows.indexOf(next), { align: 'auto' })
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  return (
    <div ref={list} className="panel @container relative overflow-hidden">
      {/* Covers the bars of the rows, between their names and their times. */}
      <div aria-hidden="true" className="pointer-events-none absolute inset-x-3 inset-y-0">
        <div className="absolute inset-y-0 right-18 left-[calc(46%-0.25rem)] @2xl:left-[calc(38%-0.25rem)]">
          {scale.folds.map(({ from, to, left, width }) => (
            <div
              key={from}
              title={formatSpan(to - from)}
              className="absolute inset-y-0 border-x border-dashed border-line-strong/40 bg-sunken"
              style={{ left: percent(left), width: percent(width) }}
            />
          ))}
        </div>
      </div>
      <Axis scale={scale} />
      <ol
        aria-label="Timeline"
        className="relative"
        style={{ height: `${virtual.getTotalSize()}px` }}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index] as Row
          return (
            <li
              key={key}
              className="absolute inset-x-0 top-0 h-9 contain-strict"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <TimelineRow
                row={row}
                scale={scale}
                end={row.to ?? now}
                isSelected={row.id === selected}
                select={select}
              />
            </li>
          )
        })}
      </ol>
    </div>
  )
}

/** Times since the start of the run, above its rows. */
function Axis({ scale }: { scale: Scale }): ReactNode {
  return (
    <div aria-hidden="true" className="relative h-6 border-b text-xs text-ink-faint tabular-nums">
      <div className="absolute inset-x-3 inset-y-0">
        <div className="absolute inset-y-0 right-18 left-[calc(46%-0.25rem)] @2xl:left-[calc(38%-0.25rem)]">
          {scale.ticks.map(({ ms, left }, index) => (
            <span
              key={ms}
              // Where there is little room, every other label is left out.
              className={`absolute inset-y-0 border-l border-line-strong/60 pl-1 leading-6 whitespace-nowrap ${index % 2 === 1 ? 'hidden @3xl:block' : ''}`}
              style={{ left: percent(left) }}
            >
              {ms === 0 ? '0' : formatSpan(ms)}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  row: Row
  scale: Scale
  end: number
  isSelected: boolean
  select: (id: string) => void
}

const TimelineRow = memo(function TimelineRow({ row, scale, end, isSelected, select }: RowProps) {
  const { icon: Icon, label, bar, word } = lookOf(row)
  const left = scale.at(row.from)
  const width = scale.at(end) - left
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => select(row.id)}
      className="flex h-9 w-full items-center gap-2 px-3 text-left text-sm hover:bg-hover/70 focus-visible:-outline-offset-2 aria-pressed:bg-accent-soft"
    >
      <span
        className={`flex w-[calc(46%-0.75rem)] shrink-0 items-center gap-2 @2xl:w-[calc(38%-0.75rem)] ${row.kind === 'step' || row.kind === 'queue' ? 'font-medium' : 'pl-3 text-ink-soft @md:pl-5'}`}
      >
        <Icon size={14} className="shrink-0 text-ink-faint" aria-hidden="true" />
        <span
          title={label}
          className={`truncate ${row.kind === 'call' ? 'font-mono text-xs' : ''}`}
        >
          {label}
        </span>
        <span className="sr-only">{word}</span>
        {row.kind === 'step' && <StepFacts step={row.step} />}
      </span>
      <span className="relative h-full min-w-0 flex-1">
        <span
          className={`drawn absolute top-1/2 h-2.5 min-w-1 -translate-y-1/2 rounded-full ${bar} ${row.to === null ? 'animate-breathe' : ''}`}
          style={{ left: percent(Math.min(left, 0.99)), width: percent(width) }}
        />
      </span>
      <span className="w-16 shrink-0 text-right text-xs text-ink-faint tabular-nums">
        {formatSpan(Math.max(0, end - row.from))}
      </span>
    </button>
  )
})

/** Calls that were not made, then the model, tokens and cost where there is room. */
function StepFacts({ step }: { step: Step }): ReactNode {
  const failed = step.tool_calls.filter(
    ({ status, decision }) =>
      status === 'failed' ||
      status === 'unknown' ||
      (status === 'rejected' && decision === 'refused'),
  ).length
  const tokens = formatCount(step.tokens_in + step.tokens_out)
  return (
    <>
      {failed > 0 && (
        <span className="flex shrink-0 items-center gap-1 text-xs font-normal text-warn">
          <TriangleAlert size={14} aria-hidden="true" />
          {plural(failed, 'call')} not done
        </span>
      )}
      <span className="ml-auto hidden truncate text-xs font-normal text-ink-faint tabular-nums @3xl:inline">
        {step.model} · {tokens} tokens · {formatCost(step)}
      </span>
    </>
  )
}

const bars = {
  neutral: 'bg-line-strong',
  live: 'bg-live',
  warn: 'bg-warn',
  ok: 'bg-ok',
  bad: 'bg-bad',
  accent: 'bg-accent',
}

function lookOf(row: Row): { icon: LucideIcon; label: string; bar: string; word: string } {
  switch (row.kind) {
    case 'queue':
      return { icon: Clock3, label: 'In the queue', bar: 'bg-line-strong', word: '' }
    case 'step': {
      const { error, finished_at: end } = row.step
      const bar = error !== null ? 'bg-bad' : end === null ? 'bg-live' : 'bg-accent'
      const word = error !== null ? 'failed' : end === null ? 'under way' : 'done'
      return { icon: MessageSquareText, label: row.step.role, bar, word }
    }
    case 'call': {
      const { tone, word } = callState(row.call)
      const icon = row.call.tool === 'request_input' ? CirclePause : Wrench
      return { icon, label: row.call.tool, bar: bars[tone], word }
    }
    case 'wait':
      return {
        icon: Hourglass,
        label: `Waiting: ${row.asks}`,
        bar: 'bg-warn/50',
        word: row.to === null ? 'waits' : 'answered',
      }
  }
}

function percent(part: number): string {
  return `${Math.max(0, part * 100)}%`
}
