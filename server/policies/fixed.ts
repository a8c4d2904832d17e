import { isDeepStrictEqual } from 'node:util'
import type { JSONSchema7 } from '@ai-sdk/provider'
import type { DecidingRule } from '../engine/wire/step.ts'
import {
  covers,
  decidedBy,
  isLive,
  judgeByRules,
  namesArguments,
  outcomeOf,
  type CallFacts,
  type Level,
} from './rules.ts'

/**
 * Arguments that rules set, pure. In each level the first active rule counts that covers an action
 * and does not depend on the call's arguments, whichever rule decides about the call itself. So it
 * is known before the model is called which arguments to hide from it.
 */
export interface FixedArguments {
  values: Record<string, unknown>
  /**
   * A rule that asks for approval because an argument cannot be set, or because levels set
   * different values.
   */
  doubt: DecidingRule | undefined
}

/** The facts about a call that are known before the model writes its arguments. */
export type CallSite = Pick<CallFacts, 'action' | 'agent' | 'workflow' | 'run'>

const none: FixedArguments = { values: {}, doubt: undefined }

/** `inputSchema` of the action, which must have the arguments; undefined if it is not known. */
export function fixedFor(
  levels: readonly Level[],
  facts: CallSite,
  inputSchema: JSONSchema7 | undefined,
  nowMs: number,
): FixedArguments {
  if (!hasFixed(levels)) return none
  const values: Record<string, unknown> = {}
  let doubt: DecidingRule | undefined
  for (const level of levels) {
    const { rule, fixed = {} } = settingRule(level, facts, nowMs) ?? {}
    for (const [name, value] of Object.entries(fixed ?? {})) {
      const isKnown = inputSchema === undefined || Object.hasOwn(inputSchema.properties ?? {}, name)
      const isOther = Object.hasOwn(values, name) && !isDeepStrictEqual(values[name], value)
      if (isKnown && !Object.hasOwn(values, name)) values[name] = value
      if ((isKnown && !isOther) || rule === undefined) continue
      const why = isKnown
        ? `rules set ${name} to different values`
        : `the action has no argument ${name}, which the rule sets`
      doubt ??= { ...rule, decision: 'ask', reason: why }
    }
  }
  return { values, doubt }
}

/**
 * Result of the rules for a call: its arguments including those that rules set, and the deciding
 * rule.
 */
export interface Ruled {
  args: Record<string, unknown>
  fixed: FixedArguments
  rule: DecidingRule | undefined
}

export function ruleOn(
  levels: readonly Level[],
  facts: CallFacts,
  inputSchema: JSONSchema7 | undefined,
  nowMs: number,
): Ruled {
  const fixed = fixedFor(levels, facts, inputSchema, nowMs)
  const args = { ...facts.args, ...fixed.values }
  return { args, fixed, rule: judgeByRules(levels, { ...facts, args }, nowMs, fixed.doubt) }
}

export function hasFixed(levels: readonly Level[]): boolean {
  return levels.some(({ rules }) => rules.some(({ fixed }) => fixed != null))
}

/** The rule of a level whose fixed arguments apply to an action in a run. */
function settingRule({ level, rules }: Level, facts: CallSite, nowMs: number) {
  for (const [position, rule] of rules.entries()) {
    if (!isLive(rule, nowMs) || !covers(rule.action, facts.action)) continue
    // A condition about arguments selects single calls, so it cannot set arguments for all of them.
    if (rule.when != null && namesArguments(rule.when)) continue
    const outcome = outcomeOf(rule, { ...facts, args: {} })
    if (outcome === false) continue
    // If the condition fails to evaluate, every call needs approval.
    return outcome === true
      ? { rule: decidedBy(level, position, rule), fixed: rule.fixed }
      : undefined
  }
  return undefined
}

/** A fixed argument that is missing or has another value. */
export function findOther(
  { values }: FixedArguments,
  args: Record<string, unknown>,
): string | undefined {
  return Object.keys(values).find(
    (name) => !Object.hasOwn(args, name) || !isDeepStrictEqual(args[name], values[name]),
  )
}

/** A schema for the model, without the arguments that rules set. */
export function withoutArguments(schema: JSONSchema7, names: readonly string[]): JSONSchema7 {
  if (names.length === 0) return schema
  const properties = Object.entries(schema.properties ?? {})
  return {
    ...schema,
    properties: Object.fromEntries(properties.filter(([name]) => !names.includes(name))),
    ...(schema.required && { required: schema.required.filter((name) => !names.includes(name)) }),
  }
}
