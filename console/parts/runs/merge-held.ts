import type { Run } from '../../../sdk/generated.ts'

/**
 * The frozen rows in their current state, with older ones after them, and separately the newer
 * ones.
 */
export function mergeHeld(held: Run[], latest: Run[]): { runs: Run[]; newer: Run[] } {
  const byId = new Map(latest.map((run) => [run.id, run]))
  const known = new Set(held.map(({ id }) => id))
  const firstKnown = latest.findIndex(({ id }) => known.has(id))
  const newer = firstKnown === -1 ? latest : latest.slice(0, firstKnown)
  const older = firstKnown === -1 ? [] : latest.slice(firstKnown).filter(({ id }) => !known.has(id))
  return { runs: [...held.map((run) => byId.get(run.id) ?? run), ...older], newer }
}
