/** Levels of JSON from outside: what is done with it later goes down level by level, here and in PostgreSQL. */
export const maxDepth = 100

export function isDeeperThan(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((item) =>
      item !== null && typeof item === 'object' ? Object.values(item) : [],
    )
  }
  return false
}
