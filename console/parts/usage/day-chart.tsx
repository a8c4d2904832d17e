import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import type uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useTheme } from '../../ui/theme.ts'

interface Series {
  values: number[]
  /** CSS class of its color. */
  tone: string
}

interface Props {
  title: string
  days: string[]
  /** Drawn over each other, the last on top. */
  series: Series[]
  /** The values of a day in words. */
  describe: (place: number) => string
  format: (value: number) => string
  height?: number
  /** The numbers for screen readers; by default a table below the chart has them. */
  label?: string
}

/** Bars by day. */
export function DayChart(props: Props): ReactNode {
  const { title, days, series, describe, format, height = 180 } = props
  const { label = 'as in the table by day' } = props
  const host = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<number | null>(null)
  const theme = useTheme()
  const isDark = useSyncExternalStore(onScheme, () => matchMedia(dark).matches)
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    let isGone = false
    let plot: uPlot | undefined
    const observer = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }))
    // If the library cannot start, for example because the browser's language is invalid, the
    // tables remain.
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone) return
      const data = [
        days.map((day) => Date.parse(day) / 1_000),
        ...series.map(({ values }) => values),
      ]
      const options = toOptions(UPlot, element, { series, format, height }, setPlace)
      plot = new UPlot(options, data as uPlot.AlignedData, element)
      observer.observe(element)
    }, console.warn)
    return () => {
      isGone = true
      observer.disconnect()
      plot?.destroy()
    }
    // A canvas does not update its colors when the theme changes.
  }, [days, series, format, height, theme, isDark])
  return (
    <figure className="panel min-w-0 p-4">
      <figcaption className="mb-2 flex flex-wrap justify-between gap-x-3 text-sm">
        <span className="font-medium">{title}</span>
        <span className="text-ink-soft tabular-nums">{place === null ? '' : describe(place)}</span>
      </figcaption>
      <div
        ref={host}
        // A chart that still has its previous width must not widen the page.
        className="overflow-hidden"
        role="img"
        style={{ minHeight: height }}
        aria-label={`${title}: ${label}`}
      >
        <span hidden className="drawn text-line" data-colour="grid" />
        <span hidden className="drawn text-ink-faint" data-colour="axis" />
        {series.map(({ tone }, index) => (
          <span key={tone} hidden className={`drawn ${tone}`} data-colour={index} />
        ))}
      </div>
    </figure>
  )
}

const dark = '(prefers-color-scheme: dark)'

function onScheme(listener: () => void): () => void {
  const media = matchMedia(dark)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}

function toOptions(
  UPlot: typeof uPlot,
  element: HTMLElement,
  { series, format, height }: Pick<Props, 'series' | 'format'> & { height: number },
  setPlace: (place: number | null) => void,
): uPlot.Options {
  const colour = (name: string | number) =>
    getComputedStyle(element.querySelector(`[data-colour="${name}"]`) ?? element).color
  const axis = {
    stroke: colour('axis'),
    font: '11px ui-sans-serif, system-ui, sans-serif',
    ticks: { show: false },
  }
  const bars = UPlot.paths.bars?.({ size: [0.7, 36], radius: 0.15 })
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    padding: [6, 10, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false } },
    // Days are UTC days in every time zone.
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: (_plot, min, max) => [min - 43_200, max + 43_200] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        values: (_plot, at) => at.map(toLabel),
        space: 60,
      },
      {
        ...axis,
        size: 54,
        grid: { stroke: colour('grid'), width: 1 },
        values: (_plot, values) => values.map(format),
      },
    ],
    series: [
      {},
      ...series.map((_, index) => ({
        fill: colour(index),
        width: 0,
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars }),
      })),
    ],
    hooks: { setCursor: [(plot) => setPlace(plot.cursor.idx ?? null)] },
  }
}

const dayName = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
})

function toLabel(seconds: number): string {
  return dayName.format(seconds * 1_000)
}
