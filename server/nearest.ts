import { distance } from 'fastest-levenshtein'

/** The known ids most similar to this one, nearest first, for error messages. */
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

/** The known name that was probably meant; undefined if none is similar. */
export function findMeant(name: string, known: readonly string[]): string | undefined {
  const nearest = known
    .map((candidate) => ({ candidate, edits: editsBetween(name, candidate) }))
    .sort((a, b) => a.edits - b.edits)[0]
  const isNear = nearest !== undefined && nearest.edits <= Math.max(2, name.length / 3)
  return isNear ? nearest.candidate : undefined
}

// snake_case and camelCase of the same name count as near, whatever the number of edits.
function editsBetween(a: string, b: string): number {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[_-]/g, '').slice(0, 100)
  return distance(plain(a), plain(b))
}
