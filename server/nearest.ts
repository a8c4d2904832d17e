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

/** The known name that was meant; undefined where none is like it. */
export function findMeant(name: string, known: readonly string[]): string | undefined {
  const nearest = known
    .map((candidate) => ({ candidate, edits: editsBetween(name, candidate) }))
    .sort((a, b) => a.edits - b.edits)[0]
  const isNear = nearest !== undefined && nearest.edits <= Math.max(2, name.length / 3)
  return isNear ? nearest.candidate : undefined
}

// snake_case and camelCase of one name are near, whatever the number of edits.
function editsBetween(a: string, b: string): number {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[_-]/g, '').slice(0, 100)
  return distance(plain(a), plain(b))
}
