import { isDeepStrictEqual } from 'node:util'
import { ownTools } from '../../tools/own-tools.ts'
import { visibleText, wholeEnd } from '../../safe-text.ts'
import { notMade, type ToolCall } from './ledger.ts'

/**
 * Warnings about calls of a finished step whose action was not done: the run completes, so nothing
 * else would show it. Pure.
 */
export interface CallWarning {
  code: 'action_refused' | 'action_failed' | 'action_unknown'
  message: string
}

type Call = Pick<
  ToolCall,
  'turn' | 'tool' | 'input' | 'sensitive' | 'status' | 'output' | 'decision' | 'timesMade'
>

/** One warning for each tool and kind of outcome, with the reason of the last such call. */
export function warningsOfCalls(calls: readonly Call[]): CallWarning[] {
  const found = new Map<string, { code: CallWarning['code']; call: Call; count: number }>()
  for (const call of calls) {
    const code = codeOf(call)
    if (code === undefined || calls.some((later) => makesGood(later, call))) continue
    const key = `${code} ${call.tool}`
    found.set(key, { code, call, count: (found.get(key)?.count ?? 0) + 1 })
  }
  return [...found.values()].map(({ code, call, count }) => ({
    code,
    message: messageOf(code, call, count),
  }))
}

/** Why a call counts as not done; undefined if it was done, or if a person decided against it. */
function codeOf({ tool, status, decision }: Call): CallWarning['code'] | undefined {
  if (tool === ownTools.request_input.id || decision === 'rejected') return undefined
  if (status === 'failed') return 'action_failed'
  if (status === 'unknown') return 'action_unknown'
  if (status !== 'rejected') return undefined
  return decision === 'expired' ? 'action_failed' : 'action_refused'
}

/**
 * Whether a later call did what this one did not: any of the same tool, except that an action that
 * was tried and changes other systems needs the same arguments. Two emails are not one.
 */
function makesGood(later: Call, call: Call): boolean {
  if (later.turn <= call.turn || later.tool !== call.tool) return false
  if (later.status !== 'succeeded') return false
  const isOwnEffect = call.sensitive && call.timesMade > 0
  return !isOwnEffect || isDeepStrictEqual(later.input, call.input)
}

const words = {
  action_refused: 'was refused and not done',
  action_unknown: 'may not have been done',
}

function messageOf(code: CallWarning['code'], call: Call, count: number): string {
  const times = count === 1 ? '' : ` ${count} times`
  if (call.decision === 'expired')
    return `${call.tool} was not done${times}: no one answered in time`
  if (code !== 'action_failed') return `${call.tool} ${words[code]}${times}`
  const { tool, output } = call
  if (output?.startsWith(notMade) === true)
    return `${tool} was not made${times}: ${reasonOf(output.slice(notMade.length))}`
  const why = reasonOf(output ?? '')
  return `${tool} failed${times}${why === '' ? '' : `: ${why}`}`
}

/** The beginning of a tool's own message, in one line. */
function reasonOf(output: string): string {
  const line = visibleText(output.slice(0, 1_000)).replaceAll(/\s+/g, ' ').trim()
  return line.length <= mostReason ? line : `${line.slice(0, wholeEnd(line, mostReason))}…`
}

const mostReason = 200
