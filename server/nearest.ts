import { distance } from 'fastest-levenshtein'

/** The known ids that are most like this one, nearest first, for a message. */
export function nearest(id: string, known: readonly string[], count = 3): string[] {
  const near = known.map((candidate) => ({
    candidate,
    edits: distance(id.toLowerCase(), candidate.toLowerCase()),
  }))
  return near
    .sort((a, b) => a.edits - b.edits)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}
