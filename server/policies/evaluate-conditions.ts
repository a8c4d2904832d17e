import type { JSONSchema7 } from '@ai-sdk/provider'
import { isLargerThan } from '../json-limits.ts'
import type { Caller } from '../sandbox/sandbox.ts'
import { fixedFor, type CallSite } from './fixed.ts'
import { conditions, covers, isLive, namesArguments, type CallFacts, type Level } from './rules.ts'

/** A call, or what is known before the model writes its arguments. */
interface Case {
  levels: readonly Level[]
  facts: CallFacts | CallSite
  /** For `fixedFor`. */
  action?: { inputSchema: JSONSchema7 } | undefined
  /** Rules set no more arguments, such as those of a call that was approved. */
  hasAllArguments?: boolean
}

/**
 * Evaluates the conditions that are not cheap, of all given calls together in a thread, and returns the levels of each
 * call with their outcomes. Then the functions of `rules.ts` and `fixed.ts` can be used. A condition that the thread
 * did not evaluate asks for approval, like any other that fails.
 */
export async function evaluateConditions(
  caller: Caller,
  cases: readonly Case[],
  nowMs: number,
): Promise<Level[][]> {
  // Conditions without arguments come first, because rules may set arguments that others test.
  const evaluated = await evaluateSome(caller, cases, nowMs, (when) => !namesArguments(when))
  const complete = cases.map((one, at): Case => {
    const levels = evaluated[at] ?? []
    const { facts, action, hasAllArguments } = one
    if (!('args' in facts) || hasAllArguments === true) return { ...one, levels }
    const { values } = fixedFor(levels, facts, action?.inputSchema, nowMs)
    return { ...one, levels, facts: { ...facts, args: { ...(facts.args as object), ...values } } }
  })
  const named = (when: string): boolean => namesArguments(when)
  return evaluateSome(caller, complete, nowMs, (when, { facts }) => 'args' in facts && named(when))
}

async function evaluateSome(
  caller: Caller,
  cases: readonly Case[],
  nowMs: number,
  isMeant: (when: string, one: Case) => boolean,
): Promise<Level[][]> {
  const costly = cases.map((one) => {
    const { levels, facts } = one
    const texts = levels.flatMap(({ rules }) =>
      rules.flatMap(({ when, outcome, ...rule }) => {
        if (when == null || outcome !== undefined || !isMeant(when, one)) return []
        if (!isLive(rule, nowMs) || !covers(rule.action, facts.action)) return []
        return conditions.isCheap(when, (bytes) => isLargerThan(facts, bytes)) ? [] : [when]
      }),
    )
    return [...new Set(texts)]
  })
  if (costly.every((texts) => texts.length === 0)) return cases.map(({ levels }) => [...levels])
  const outcomes = await conditions.evaluateAll(
    caller,
    cases.map(({ facts }, at) => ({ texts: costly[at] ?? [], values: { args: {}, ...facts } })),
  )
  return cases.map(({ levels }, at) =>
    levels.map(({ level, rules }) => ({
      level,
      rules: rules.map((rule) => {
        const index = rule.when == null ? -1 : (costly[at]?.indexOf(rule.when) ?? -1)
        const outcome = outcomes[at]?.[index]
        return outcome === undefined ? rule : { ...rule, outcome }
      }),
    })),
  )
}
