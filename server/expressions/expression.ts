import { Environment } from '@marcbachmann/cel-js'
import { LRUCache } from 'lru-cache'
import { createPattern } from '../json-schema/linear-pattern.ts'

/**
 * The expression language for users' conditions: CEL. A language declares the variables that its
 * conditions may use. An expression only sees their values. Its text and its steps are bounded, but
 * not the work of a step, such as a comparison; so only cheap conditions (`cost.ts`) are evaluated
 * outside of a thread that can be ended. An evaluation never throws: if it fails, it returns the
 * reason, and the caller decides what that means.
 */
export interface Language {
  /** Why a text cannot be used as a condition, and where; undefined when it can. */
  refuse(text: string): string | undefined
  /** Whether a condition holds; a string says why it cannot be evaluated. */
  evaluate(text: string, values: Record<string, unknown>): boolean | string
}

type Condition = (values: Record<string, unknown>) => Outcome
type Outcome = { kind: 'value'; value: boolean } | { kind: 'failed'; why: string }

class ExpressionError extends Error {
  override name = 'ExpressionError'
}

const maxCharacters = 2_000
/** Limit of syntax nodes that one evaluation may visit; loops visit theirs once per item. */
const maxSteps = 20_000
/** By the clock, so that a busy machine refuses nothing. */
const maxMs = 1_000
/** Limit for a text or list that an expression creates. */
const maxLength = 1_000_000
const tooLong = `it makes a value longer than ${maxLength}`
/** Compiled conditions that a language keeps. */
const maxCached = 500

/** Variables by name, each with its CEL type: `dyn` for any JSON value. */
export function createLanguage(variables: Record<string, string>): Language {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 500, maxDepth: 40, maxListElements: 200, maxMapEntries: 200 },
  })
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type)
  const cache = new LRUCache<string, Condition>({ max: maxCached })
  const compile = (text: string): Condition => {
    const known = cache.get(text)
    if (known !== undefined) return known
    const condition = compileWith(environment, text)
    cache.set(text, condition)
    return condition
  }
  const refuse = (text: string): string | undefined => {
    try {
      compile(text)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  const evaluate = (text: string, values: Record<string, unknown>): boolean | string => {
    const unread = refuse(text)
    if (unread !== undefined) return unread
    const outcome = compile(text)(values)
    return outcome.kind === 'value' ? outcome.value : outcome.why
  }
  return { refuse, evaluate }
}

function compileWith(environment: Environment, text: string): Condition {
  if (text.length > maxCharacters) {
    throw new ExpressionError(`it has ${text.length} characters, at most ${maxCharacters}`)
  }
  try {
    const parsed = environment.parse(text)
    const checked = parsed.check()
    if (!checked.valid) throw checked.error ?? new Error('it cannot be read')
    if (checked.type !== 'bool' && checked.type !== 'dyn') {
      throw new ExpressionError(`it makes a ${checked.type}, expected true or false`)
    }
    const budget = new Budget()
    guard(parsed.ast, budget, new Set())
    return (values) => evaluate(() => parsed(values), budget, text)
  } catch (error) {
    throw error instanceof ExpressionError ? error : new ExpressionError(reasonOf(error, text))
  }
}

function evaluate(run: () => unknown, budget: Budget, text: string): Outcome {
  budget.reset()
  let result: unknown
  try {
    result = run()
  } catch (error) {
    result = error
  }
  // CEL ignores a failing side of `||` if the other is true; an exhausted budget must fail anyway.
  if (budget.why !== undefined) return { kind: 'failed', why: budget.why }
  if (typeof result === 'boolean') return { kind: 'value', value: result }
  if (result instanceof Error) return { kind: 'failed', why: reasonOf(result, text) }
  return { kind: 'failed', why: 'it makes no true or false' }
}

/**
 * The remaining budget of one evaluation. Evaluations do not overlap, because nothing in them
 * waits.
 */
class Budget {
  why: string | undefined
  #steps = 0
  #deadline = 0

  reset(): void {
    this.why = undefined
    this.#steps = 0
    this.#deadline = performance.now() + maxMs
  }

  spend(): void {
    this.#steps += 1
    if (this.why === undefined && this.#steps > maxSteps) {
      this.why = `it takes more than ${maxSteps} steps`
    }
    // Reading the clock costs as much as several steps.
    const isDue = (this.#steps & 31) === 0
    if (this.why === undefined && isDue && performance.now() > this.#deadline) {
      this.why = `it takes longer than ${maxMs} ms`
    }
    if (this.why !== undefined) throw new ExpressionError(this.why)
  }

  check(value: unknown): unknown {
    const isLong = (typeof value === 'string' || Array.isArray(value)) && value.length > maxLength
    if (isLong) this.why ??= tooLong
    if (this.why !== undefined) throw new ExpressionError(this.why)
    return value
  }
}

type Evaluate = (evaluator: Evaluator, node: Node, values: unknown) => unknown

interface Evaluator {
  run(node: Node, values: unknown): unknown
}

/** The used part of a node in the library's syntax tree. */
interface Node {
  op: string
  args: unknown
  meta: object
  evaluate: Evaluate
}

function isNode(value: object): value is Node {
  return 'op' in value && 'meta' in value && 'evaluate' in value
}

/**
 * Makes all nodes of a checked syntax tree use up the budget: the library bounds the text of an
 * expression, but not the work of its loops. A node replaces its own `evaluate` at its first use,
 * so the property stays ours.
 */
function guard(value: unknown, budget: Budget, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (!isNode(value)) {
    // Arguments, or the nodes of a macro.
    const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
    if (isPlain) for (const part of Object.values(value)) guard(part, budget, seen)
    return
  }
  for (const part of [...Object.values(value), value.meta]) guard(part, budget, seen)
  let inner: Evaluate = matcherOf(value) ?? joinerOf(value) ?? value.evaluate
  const guarded: Evaluate = (evaluator, node, values) => {
    budget.spend()
    return budget.check(inner.call(value, evaluator, node, values))
  }
  Object.defineProperty(value, 'evaluate', {
    get: () => guarded,
    set: (next: Evaluate) => {
      inner = next
    },
  })
}

/** `text.matches("pattern")` with a linear-time engine instead of the library's. */
function matcherOf({ op, args }: Node): Evaluate | undefined {
  if (op !== 'rcall' || !Array.isArray(args) || args[0] !== 'matches') return undefined
  const [, receiver, [given]] = args as [string, Node, Node[]]
  if (given?.op !== 'value' || typeof given.args !== 'string') {
    throw new ExpressionError('the pattern of matches() must be a text in quotes')
  }
  const pattern = patternOf(given.args)
  return (evaluator, _, values) => {
    const text = evaluator.run(receiver, values)
    if (typeof text === 'string') return pattern.test(text)
    throw new ExpressionError('matches() is there for texts')
  }
}

/** `list.join("separator")` that knows the length of its text before it is made. */
function joinerOf({ op, args }: Node): Evaluate | undefined {
  if (op !== 'rcall' || !Array.isArray(args) || args[0] !== 'join') return undefined
  const [, receiver, [separator]] = args as [string, Node, Node[]]
  return (evaluator, _, values) => {
    const list = evaluator.run(receiver, values)
    const between = separator === undefined ? '' : evaluator.run(separator, values)
    const areTexts = Array.isArray(list) && list.every((item) => typeof item === 'string')
    if (!areTexts || typeof between !== 'string') {
      throw new ExpressionError('join() is there for lists of texts')
    }
    const length = list.reduce((sum, item) => sum + item.length + between.length, 0)
    if (length > maxLength) throw new ExpressionError(tooLong)
    return list.join(between)
  }
}

function patternOf(source: string): ReturnType<typeof createPattern> {
  try {
    return createPattern(source)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ExpressionError(`the pattern "${source.slice(0, 100)}" cannot be used: ${why}`)
  }
}

/** The reason and its position in the text, without the library's excerpt. */
function reasonOf(error: unknown, text: string): string {
  if (typeof error !== 'object' || error === null) return 'it cannot be evaluated'
  const { summary, range, message } = error as {
    summary?: string
    range?: { start: number }
    message?: string
  }
  const why = (summary ?? message ?? 'it cannot be evaluated').slice(0, 300)
  if (range === undefined) return why
  const before = text.slice(0, range.start).split('\n')
  return `${why} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`
}
