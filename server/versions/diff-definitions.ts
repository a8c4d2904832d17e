import { isDeepStrictEqual } from 'node:util'
import { diffArrays } from 'diff'
import type { Caller } from '../sandbox/sandbox.ts'
import { compareTexts } from './compare-texts.ts'
import type { Pair } from './diff-text.ts'
import type { VersionDiff } from './schema.ts'

/** Differences between two definitions, field by field. */
export type Definition = Record<string, unknown>
type Change = VersionDiff['changes'][number]

/** A changed field, before its texts are compared. */
type Difference = Omit<Change, 'parts'>

export async function diffDefinitions(
  caller: Caller,
  before: Definition,
  after: Definition,
): Promise<Change[]> {
  const changes = findDifferences(before, after)
  const pairs = changes.map(pairOf)
  const parts = await compareTexts(
    caller,
    pairs.filter((pair) => pair !== null),
  )
  return changes.map((change, at) => ({
    ...change,
    parts: pairs[at] == null ? null : (parts.shift() ?? null),
  }))
}

const maxChangedFields = 50

/** Only the paths of the changed fields. */
export function changedFields(before: Definition, after: Definition): string[] {
  return findDifferences(before, after)
    .map(({ field }) => field)
    .slice(0, maxChangedFields)
}

function findDifferences(before: Definition, after: Definition): Difference[] {
  return namesOf(before, after).flatMap((name) => {
    const [old, now] = [before[name], after[name]]
    if (name === 'crew') return diffCrews(asCrew(old), asCrew(now))
    return diffValue(name, null, old, now)
  })
}

/** Objects of settings are compared by their fields; a schema is one value. */
function diffValue(field: string, agent: string | null, old: unknown, now: unknown): Difference[] {
  if (isDeepStrictEqual(old ?? null, now ?? null)) return []
  if (isObject(old) && isObject(now) && !field.endsWith('_schema')) {
    return namesOf(old, now).flatMap((name) =>
      diffValue(`${field}.${name}`, agent, old[name], now[name]),
    )
  }
  return [{ field, agent, before: old ?? null, after: now ?? null }]
}

type Crew = Definition[]

/**
 * Matches crew entries in order, by standing agent or role, so that an added entry does not change all later ones. Unmatched
 * entries at the same position count as one that was renamed.
 */
function diffCrews(before: Crew, after: Crew): Difference[] {
  const changes: Difference[] = []
  let [old, now] = [0, 0]
  const runs = diffArrays(before.map(keyOf), after.map(keyOf))
  for (const [place, { value, added, removed }] of runs.entries()) {
    const next = runs[place + 1]
    if (removed && next?.added) {
      // The added entries, next in the list, are paired with these.
      continue
    }
    const last = runs[place - 1]
    const gone = added && last?.removed ? last.value.length : removed ? value.length : 0
    const come = added ? value.length : 0
    const pairs = added || removed ? Math.min(gone, come) : value.length
    for (let at = 0; at < pairs; at++)
      changes.push(...diffEntries(now + at, before[old + at], after[now + at]))
    for (let at = pairs; at < gone; at++)
      changes.push(...diffEntries(old + at, before[old + at], undefined))
    for (let at = pairs; at < come; at++)
      changes.push(...diffEntries(now + at, undefined, after[now + at]))
    old += added || removed ? gone : value.length
    now += added || removed ? come : value.length
  }
  return changes
}

function diffEntries(
  position: number,
  before: Definition | undefined,
  after: Definition | undefined,
): Difference[] {
  const field = `crew[${position}]`
  const agent = String((after ?? before)?.['role'])
  if (before === undefined || after === undefined) {
    return [{ field, agent, before: before ?? null, after: after ?? null }]
  }
  return namesOf(before, after).flatMap((name) =>
    diffValue(`${field}.${name}`, agent, before[name], after[name]),
  )
}

function keyOf({ agentId, role }: Definition): string {
  return typeof agentId === 'string' ? `agent ${agentId}` : `role ${String(role)}`
}

/** The texts of a change; null if it has none. */
function pairOf({ field, before, after }: Difference): Pair | null {
  if (field.endsWith('_schema')) {
    return { by: 'lines', before: jsonOf(before), after: jsonOf(after) }
  }
  const isText = typeof before === 'string' && typeof after === 'string'
  return isText ? { by: 'words', before, after } : null
}

function jsonOf(value: unknown): string {
  return value === null ? '' : `${JSON.stringify(value, null, 2)}\n`
}

function namesOf(before: Definition, after: Definition): string[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])]
}

function asCrew(value: unknown): Crew {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function isObject(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
