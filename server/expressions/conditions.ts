import { LRUCache } from 'lru-cache'
import { DomainError } from '../errors.ts'
import { isLargerThan } from '../json-limits.ts'
import { defineTask, whenRoom, type Caller } from '../sandbox/sandbox.ts'
import { TaskEnded } from '../sandbox/thread.ts'
import { isCheap } from './cost.ts'
import type * as tasks from './evaluate.ts'
import type { Case } from './evaluate.ts'
import { createLanguage } from './expression.ts'

/**
 * Conditions over named values. Cheap ones are evaluated at once; all others of a request together in a thread, with
 * one limit of time and memory.
 */
export interface Conditions {
  /** Why a text cannot be used, and which; undefined when all can. */
  refuse: (caller: Caller, texts: string[]) => Promise<{ index: number; why: string } | undefined>
  /** Whether `evaluate` may be used for these values. */
  isCheap: (text: string, isLarger: (bytes: number) => boolean) => boolean
  /** Evaluates a cheap condition; a string says why it has no outcome, or that it is not cheap. */
  evaluate: (text: string, values: Record<string, unknown>) => boolean | string
  /** Evaluates any. Never throws: a condition that cannot be evaluated says why. */
  evaluateAll: (caller: Caller, cases: Case[]) => Promise<(boolean | string)[][]>
}

const at = {
  line: 'quick',
  from: import.meta.url,
  file: './evaluate',
  maxMs: 1_000,
  maxMb: 128,
} as const
const refuseInThread = defineTask<typeof tasks.refuseFirst>({ ...at, name: 'refuseFirst' })
const evaluateInThread = defineTask<typeof tasks.evaluateAll>({ ...at, name: 'evaluateAll' })

/** Characters of cheap conditions that are parsed at once; some milliseconds. */
const maxParsed = 8_000

/** Variables by name, each with its CEL type: `dyn` for any JSON value. */
export function createConditions(variables: Record<string, string>): Conditions {
  const language = createLanguage(variables)
  const isSimple = (text: string): boolean => isCheap(text, () => false)
  /** Texts that were found usable, so that a check within a transaction takes no time after one before it. */
  const usable = new LRUCache<string, true>({ max: 1_000 })
  return {
    async refuse(caller, texts) {
      if (texts.every((text) => usable.has(text))) return undefined
      const length = texts.reduce((sum, text) => sum + text.length, 0)
      if (length > maxParsed || !texts.every(isSimple)) {
        try {
          const refused = await refuseInThread(caller, { variables, texts })
          if (refused === undefined) for (const text of texts) usable.set(text, true)
          return refused
        } catch (error) {
          if (!(error instanceof TaskEnded)) throw error
          return { index: 0, why: `with the others, ${error.message}` }
        }
      }
      const reasons = texts.map((text) => language.refuse(text))
      const index = reasons.findIndex((why) => why !== undefined)
      return index === -1 ? undefined : { index, why: reasons[index] ?? '' }
    },
    isCheap,
    evaluate: (text, values) =>
      isSimple(text) ? language.evaluate(text, values) : 'it was not evaluated in time',
    async evaluateAll(caller, cases) {
      const isSmall = cases.every(({ texts, values }) =>
        texts.every((text) => isCheap(text, (bytes) => isLargerThan(values, bytes))),
      )
      const count = cases.reduce((sum, { texts }) => sum + texts.length, 0)
      if (isSmall && count <= maxAtOnce) {
        return cases.map(({ texts, values }) =>
          texts.map((text) => language.evaluate(text, values)),
        )
      }
      try {
        return await whenRoom(() => evaluateInThread(caller, { variables, cases }))
      } catch (error) {
        if (!(error instanceof TaskEnded) && !(error instanceof DomainError)) throw error
        return cases.map(({ texts }) => texts.map(() => error.message))
      }
    },
  }
}

/** Cheap conditions that are evaluated at once. */
const maxAtOnce = 10
