import { styleText } from 'node:util'
import { shell } from './shell.ts'
import { columnsOf, widthOf, wrap } from './wrap.ts'

/**
 * Tables and fields on stdout. On a terminal they are as wide as it at most: long cells continue on
 * further lines, and if the columns do not fit even so, each row becomes a block of fields. Words are
 * never broken.
 */
const gap = '  '

export function layOut(labels: string[], rows: string[][]): string {
  const heads = labels.map((label) => label.toUpperCase())
  const lines = [heads, ...rows]
  const columns = columnsOf(shell().stdout)
  const natural = heads.map((_, at) => widest(lines, at, widthOf))
  const widths = columns === undefined ? natural : fit(natural, lines, columns)
  if (widths === undefined)
    return rows
      .map((row) => layOutFields(row.map((cell, at) => [labels[at] ?? '', cell] as const)))
      .join('\n\n')
  const [head = '', ...others] = lines.map((line) => layOutRow(line, widths))
  return [dim(head), ...others].join('\n')
}

/** Widths that fit the terminal, without breaking a word; undefined if there are none. */
function fit(natural: number[], lines: string[][], columns: number): number[] | undefined {
  const room = columns - gap.length * (natural.length - 1)
  const least = natural.map((_, at) => widest(lines, at, longestWord))
  const widths = [...natural]
  // The widest column that can, gives up a character, until all fit.
  for (let over = sum(widths) - room; over > 0; over--) {
    const able = widths.filter((width, at) => width > (least[at] ?? 0))
    if (able.length === 0) return undefined
    const at = widths.findIndex(
      (width, at) => width > (least[at] ?? 0) && width === Math.max(...able),
    )
    widths[at] = (widths[at] ?? 0) - 1
  }
  return widths
}

function layOutRow(cells: string[], widths: number[]): string {
  const wrapped = cells.map((cell, at) => wrap(cell, widths[at]).split('\n'))
  const height = Math.max(...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    wrapped
      .map((lines, at) => pad(lines[line] ?? '', widths[at] ?? 0))
      .join(gap)
      .trimEnd(),
  ).join('\n')
}

export function layOutFields(shown: readonly (readonly [label: string, text: string])[]): string {
  const columns = columnsOf(shell().stdout)
  const width = Math.max(...shown.map(([label]) => label.length))
  const indent = ' '.repeat(width + gap.length)
  const longest = Math.max(...shown.map(([, text]) => longestWord(text)))
  const isBeside = columns === undefined || indent.length + longest <= columns
  return shown
    .map(([label, text]) => {
      if (!isBeside) return `${dim(label)}\n${wrap(gap + text, columns, gap)}`
      return wrap(`${dim(label.padEnd(width))}${gap}${text}`, columns, indent)
    })
    .join('\n')
}

function widest(lines: string[][], at: number, measure: (text: string) => number): number {
  return Math.max(...lines.map((line) => measure(line[at] ?? '')))
}

function longestWord(text: string): number {
  return Math.max(...text.split(/\s+/).map(widthOf))
}

function sum(widths: number[]): number {
  return widths.reduce((total, width) => total + width, 0)
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

function dim(text: string): string {
  return styleText('dim', text, { stream: shell().stdout })
}
