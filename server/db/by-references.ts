/** Sorts tables so that each comes after the tables that it refers to. */
export function byReferences<T extends { name: string; refersTo: string[] }>(
  tables: readonly T[],
): T[] {
  const names = new Set(tables.map(({ name }) => name))
  const ordered = new Map<string, T>()
  while (ordered.size < tables.length) {
    const next = tables.find(
      ({ name, refersTo }) =>
        !ordered.has(name) &&
        refersTo.every((other) => other === name || !names.has(other) || ordered.has(other)),
    )
    if (next === undefined) throw new Error('Cannot order the tables: they refer to each other')
    ordered.set(next.name, next)
  }
  return [...ordered.values()]
}
