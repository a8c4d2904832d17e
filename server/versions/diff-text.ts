import { diffLines, diffWordsWithSpace, type ChangeObject } from 'diff'
import type { TextPart } from '../engine/wire/comparison.ts'

/**
 * Compares texts in bounded time. Without the bound, texts with nothing in common take time in proportion to the product of
 * their lengths.
 */
const maxEdits = 700
const budgetMs = 200

/** Two texts to be compared by word or by line. */
export interface Pair {
  by: 'words' | 'lines'
  before: string
  after: string
}

/** A task: the comparisons of one answer, which share a budget of time. */
export function comparePairs(pairs: Pair[]): TextPart[][] {
  const comparison = new TextComparison()
  return pairs.map(({ by, before, after }) => comparison[by](before, after))
}

class TextComparison {
  #leftMs = budgetMs

  /** By word; by line if most words differ; as a whole if most lines differ. */
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

export function wholly(before: string, after: string): TextPart[] {
  const parts: TextPart[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ]
  return parts.filter(({ text }) => text !== '')
}
