import type { Actor } from '../identity.ts'
import type { Person } from '../engine/run/fields.ts'

/** Who created and who last changed something that starts runs by itself: they are behind its runs. */
export interface Authors {
  creator: Person | null
  editor: Person | null
}

export function createdBy(actor: Actor): { authors: Authors } {
  return { authors: { creator: personOf(actor), editor: null } }
}

export function changedBy(
  { authors }: { authors: Authors | null },
  actor: Actor,
): { authors: Authors } {
  return { authors: { creator: authors?.creator ?? null, editor: personOf(actor) } }
}

export function personOf({ id, name }: Actor): Person {
  return { id, name }
}

/** The people of a run's cause, each once. */
export function peopleOf(authors: Authors | null, ...others: (Person | null)[]): Person[] {
  const all = [authors?.creator, authors?.editor, ...others].filter((one) => one != null)
  return [...new Map(all.map((one) => [one.id, one])).values()]
}
