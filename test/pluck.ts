/** The values of one property of all rows, or of several properties as arrays. */
// oxlint-disable-next-line typescript/no-explicit-any -- of bodies that are `any` the values are as well
export function pluck<R extends Record<K, any>, K extends PropertyKey>(
  rows: readonly R[],
  name: K,
): R[K][]
export function pluck<R>(rows: readonly R[], ...names: (keyof R)[]): unknown[][]
export function pluck<R>(rows: readonly R[], ...names: (keyof R)[]): unknown[] {
  const [name] = names
  if (names.length === 1 && name !== undefined) return rows.map((row) => row[name])
  return rows.map((row) => names.map((one) => row[one]))
}
