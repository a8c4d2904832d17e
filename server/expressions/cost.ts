import { LRUCache } from 'lru-cache'

/**
 * Whether a condition is cheap on any values of these bytes, so that it may be evaluated at once instead of in a
 * thread. A cheap condition has no loops and no patterns, and each of its operations at most reads the values once.
 */
export function isCheap(text: string, isLargerThan: (bytes: number) => boolean): boolean {
  const operations = countOperations(text)
  return operations <= maxOperations && !isLargerThan(maxSteps / Math.max(1, operations))
}

/** Characters that are read; some milliseconds. */
const maxSteps = 400_000
const maxOperations = 200
const cheapFunctions = new Set(['has', 'size', 'startsWith', 'endsWith', 'contains', 'int'])
const known = new LRUCache<string, number>({ max: 1_000 })

/** Comparisons, calls and items; infinite if one of them is not cheap. */
function countOperations(text: string): number {
  const cached = known.get(text)
  if (cached !== undefined) return cached
  const code = text.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
  const calls = [...code.matchAll(/(\w+)\s*\(/g)].map(([, name = '']) => name)
  // Quotes that are left belong to raw texts and the like; + may double a value.
  const isPlain = !/\+|`|'|"""|\br"|\bb"/i.test(code)
  const isCalm = calls.every((name) => cheapFunctions.has(name) || name === 'in')
  const operators = code.match(/[=!<>]=?|\bin\b|,|[*/%-]/g)?.length ?? 0
  const count = isPlain && isCalm ? operators + calls.length : Infinity
  known.set(text, count)
  return count
}
