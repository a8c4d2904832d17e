import { distance } from 'fastest-levenshtein'

/** The three known ids that are most like this one, for a message. */
export function nearest(id: string, known: readonly string[]): string {
  return known
    .map((candidate) => ({ candidate, edits: distance(id.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
    .join(', ')
}
