import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { it } from 'node:test'
import type { SlotsSize } from '../slots.ts'
import { readConfig } from './config.ts'
import { createLimits, rows, sizeOf, type Row } from './limits.ts'

const page = new URL('../../docs/limits.md', import.meta.url)
const begin = '<!-- Written by `npm run limits` from server/start/limits.ts. -->'
const end = '<!-- The end of what `npm run limits` writes. -->'
const defaults = readConfig({})
const MiB = 1024 * 1024

it('docs/limits.md lists every shared bound of a process with its default', async () => {
  const text = await readFile(page, 'utf8')
  const [before, rest] = text.split(begin)
  const [, after] = rest?.split(end) ?? []
  assert.ok(after !== undefined, 'the page has both marks')
  const expected = `${before}${begin}\n\n${table()}\n\n${end}${after}`
  if (process.env['MUSTER_WRITE_LIMITS'] === '1') await writeFile(page, expected)
  else assert.equal(text, expected, 'docs/limits.md is outdated: npm run limits')
})

it('a setting changes the limits that name it, and no others', () => {
  const values: Record<string, string> = {
    MUSTER_RATE_LIMIT: '7',
    MUSTER_ACCOUNT_RATE_LIMIT: '77',
    MUSTER_ACCOUNT_RATE_MB: '7',
    MUSTER_DATABASE_CONNECTIONS: '17',
    MUSTER_DATABASE_READ_CONNECTIONS: '17',
    MUSTER_RUN_CONCURRENCY: '70',
    MUSTER_ACCOUNT_CONCURRENCY: '7',
  }
  for (const [name, value] of Object.entries(values)) {
    const config = readConfig({ [name]: value })
    for (const row of Object.values(rows) as Row[]) {
      const isChanged = JSON.stringify(sizes(row, config)) !== JSON.stringify(sizes(row, defaults))
      // The limits of an account follow those of a key, unless they are set.
      if (name === 'MUSTER_RATE_LIMIT' && row.setting === 'MUSTER_ACCOUNT_RATE_LIMIT') continue
      assert.equal(
        isChanged,
        row.setting?.split(', ').includes(name) === true,
        `${name}: ${row.what}`,
      )
    }
  }
})

it('an account waits for a large response while its clients have not read others', async () => {
  const { largeAnswers, unreadAnswers } = createLimits(defaults)
  using unread = unreadAnswers.open('acc_1')
  unread.add(17 * MiB)
  assert.equal(largeAnswers.tryTake('acc_1'), undefined)
  assert.notEqual(largeAnswers.tryTake('acc_2'), undefined)
  unread[Symbol.dispose]()
  assert.notEqual(largeAnswers.tryTake('acc_1'), undefined)
})

it('2,000 triggers of an account may wait to be stored, and those of others beside them', () => {
  const { triggers } = createLimits(defaults)
  const waiting = Array.from({ length: 2_000 }, () => triggers.takeNow('acc_1', 'trigger run'))
  const refused = {
    code: 'rate_limited',
    message: /^Cannot trigger run: 2000 triggers of the account/,
  }
  assert.throws(() => triggers.takeNow('acc_1', 'trigger run'), refused)
  triggers.takeNow('acc_2', 'trigger run')
  waiting[0]?.[Symbol.dispose]()
  triggers.takeNow('acc_1', 'trigger run')
})

function sizes(row: Row, config: typeof defaults): object {
  if ('slots' in row) return sizeOf(row.slots, config)
  return 'rate' in row ? sizeOf(row.rate, config) : sizeOf(row.bytes, config)
}

/** The table as the formatter would write it. */
function table(): string {
  const head = ['what', 'for one', 'in all', 'beyond it', 'used by', 'setting']
  const cells = [head, ...(Object.values(rows) as Row[]).map(cellsOf)]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [first = [], ...others] = cells
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(first), rule, ...others.map(line)].join('\n')
}

function cellsOf(row: Row): string[] {
  const { what, usedBy, setting, of = 'account' } = row
  const last = [usedBy, setting === undefined ? '' : `\`${setting}\``]
  if ('slots' in row) {
    const size = sizeOf(row.slots, defaults)
    const code = `\`${row.beyond.code}\``
    const one = `${shown(size.activePerAccount)} per ${of}`
    return [what, one, inAll(size.active), waits(size, of, code), ...last]
  }
  if ('rate' in row) {
    const { perMinute, burst = perMinute } = sizeOf(row.rate, defaults)
    const number = (value: number): string =>
      row.unit === 'bytes' ? `${value / 1e6} MB` : shown(value)
    const some = burst < perMinute ? `, ${number(burst)} at once` : ''
    return [what, `${number(perMinute)} a minute per ${of}${some}`, '', '`rate_limited`', ...last]
  }
  const { perAccount, all, free } = sizeOf(row.bytes, defaults)
  const beyond = free === undefined ? 'others wait' : 'the call fails'
  const uncounted = free === undefined ? '' : `, beyond ${free / 1024} KiB each`
  const one = `${perAccount / MiB} MiB per ${of}${uncounted}`
  return [what, one, all === undefined ? '' : `${all / MiB} MiB`, beyond, ...last]
}

function waits(
  { waiting, waitingPerAccount, waitMs }: SlotsSize,
  of: string,
  code: string,
): string {
  if (waiting === 0) return code
  const one = waitingPerAccount < waiting ? `, ${shown(waitingPerAccount)} per ${of}` : ''
  return `${shown(waiting)} wait ${waitMs / 1_000} s${one}; then ${code}`
}

const shown = (value: number): string => value.toLocaleString('en')
const inAll = (value: number): string => (value === Infinity ? '' : shown(value))
