import { diffLines, diffWordsWithSpace, type ChangeObject } from 'diff'
import type { TextPart } from '../engine/wire/text-part.ts'

/**
 * Compares texts within a bound of time: texts without anything in common take a time that grows with the product of
 * their lengths, and other requests of the process wait meanwhile.
 */
const maxEdits = 700
const budgetMs = 200

/** The budget of one answer, which may compare many texts. */
export class TextComparison {
  #leftMs = budgetMs

  /** By word; by line where most words differ, and whole where most lines do. */
  words(before: string, after: string): TextPart[] {
    const options = { maxEditLength: maxEdits }
    return (
      this.#compare((timeout) => diffWordsWithSpace(before, after, { ...options, timeout })) ??
      this.lines(before, after)
    )
  }

  lines(before: string, after: string): TextPart[] {
    const options = { maxEditLength: maxEdits }
    return (
      this.#compare((timeout) => diffLines(before, after, { ...options, timeout })) ??
      wholly(before, after)
    )
  }

  #compare(
    compare: (timeoutMs: number) => ChangeObject<string>[] | undefined,
  ): TextPart[] | undefined {
    if (this.#leftMs <= 0) return undefined
    const startedAt = performance.now()
    const found = compare(this.#leftMs)
    this.#leftMs -= performance.now() - startedAt
    return found?.map(({ added, removed, value: text }) => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text,
    }))
  }
}

function wholly(before: string, after: string): TextPart[] {
  const parts: TextPart[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ]
  return parts.filter(({ text }) => text !== '')
}
