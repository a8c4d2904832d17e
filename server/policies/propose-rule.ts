import type { Rule } from './schema.ts'
import type { Caller } from '../sandbox/sandbox.ts'
import { judgeByRules, type CallFacts, type Level } from './rules.ts'
import { settle } from './settle.ts'

/**
 * Suggests rules from decisions. If people approved an action unchanged many times in a row,
 * the narrowest rule that allows these calls is suggested. It does not cover calls with other
 * arguments, with other values for anything that may address a recipient or an object, or with
 * numbers outside the approved range. No rule is suggested that would allow a call which a person
 * rejected or edited.
 */
export interface Decided {
  facts: CallFacts
  decision: 'approved' | 'edited' | 'rejected' | 'expired'
  toolVersion: string | null
}

const leastApprovals = 20
const maxWhen = 2_000
const mostValues = 10
export const lifetimeMs = 90 * 24 * 60 * 60_000

/**
 * Arguments with prose for people. Only these may have any value; others may be an address, a
 * channel, a host or an id, whatever their name.
 */
const prose =
  /^(text|body|content|message|subject|title|description|notes?|summary|comment|html|markdown)$/i

/**
 * `calls` of one action, newest first; `version` is the action's current one. Returns the rule and
 * how many of the first calls support it.
 */
export async function proposeRule(
  caller: Caller,
  calls: readonly Decided[],
  version: string,
  nowMs: number,
): Promise<{ rule: Rule; count: number } | undefined> {
  const end = calls.findIndex(
    ({ decision, toolVersion }) => decision !== 'approved' || toolVersion !== version,
  )
  const approved = calls.slice(0, end === -1 ? calls.length : end)
  const [first] = approved
  if (first === undefined || approved.length < leastApprovals) return undefined
  const when = narrowest(approved.map(({ facts }) => facts))
  if (when === undefined) return undefined
  const rule: Rule = {
    action: first.facts.action,
    when,
    decision: 'allow',
    reason: `people approved ${approved.length} such calls in a row`,
    expires_at: new Date(nowMs + lifetimeMs).toISOString(),
  }
  const refused = calls.filter(({ decision }) => decision === 'rejected' || decision === 'edited')
  const levels: Level[] = [{ level: 'account', rules: [rule] }]
  const cases = [...approved, ...refused].map(({ facts }) => ({
    levels,
    facts,
    hasAllArguments: true,
  }))
  const settled = await settle(caller, cases, nowMs)
  const allowed = cases.map(
    ({ facts }, at) => judgeByRules(settled[at] ?? [], facts, nowMs)?.decision === 'allow',
  )
  const isRight = allowed.every((isAllowed, at) => isAllowed === at < approved.length)
  if (!isRight) return undefined
  return { rule, count: approved.length }
}

/** The narrowest condition that holds for all calls; undefined if none is narrow enough. */
function narrowest(calls: CallFacts[]): string | undefined {
  const names = [...new Set(calls.flatMap(({ args }) => Object.keys(args)))].toSorted()
  const parts = [
    `args.all(name, name in ${JSON.stringify(names)})`,
    ...names.map((name) => narrowArgument(name, calls)),
    oneOf(
      'workflow.id',
      calls.map(({ workflow }) => workflow.id),
    ),
    oneOf(
      'agent.role',
      calls.map(({ agent }) => agent.role),
    ),
  ]
  if (parts.includes(undefined)) return undefined
  const when = parts.filter((part) => part !== '').join(' && ')
  return when.length > maxWhen ? undefined : when
}

/** Empty if an argument may have any value. */
function narrowArgument(name: string, calls: CallFacts[]): string | undefined {
  const given = calls.flatMap(({ args }) => (Object.hasOwn(args, name) ? [args[name]] : []))
  const word = JSON.stringify(name)
  const path = `args[${word}]`
  const condition = isConstant(given) ? oneOf(path, given) : narrowVarying(name, path, given)
  if (condition === undefined || condition === '') return condition
  return given.length === calls.length ? condition : `(!(${word} in args) || ${condition})`
}

function narrowVarying(name: string, path: string, given: unknown[]): string | undefined {
  if (given.every((value) => typeof value === 'number')) {
    return `(${path} >= ${Math.min(...given)} && ${path} <= ${Math.max(...given)})`
  }
  const isText = given.every((value) => typeof value === 'string')
  return isText && prose.test(name) ? '' : oneOf(path, given)
}

function isConstant(values: unknown[]): boolean {
  return new Set(values.map((value) => JSON.stringify(value))).size === 1
}

/** JSON literals are valid CEL. */
function oneOf(path: string, values: unknown[]): string | undefined {
  const texts = [...new Set(values.map((value) => JSON.stringify(value)))].toSorted()
  if (texts.length > mostValues) return undefined
  return texts.length === 1 ? `${path} == ${texts[0]}` : `${path} in [${texts.join(', ')}]`
}
