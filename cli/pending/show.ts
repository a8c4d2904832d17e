import type { RunWithSteps } from '../../sdk/index.ts'
import { shortTime } from '../format.ts'
import { bold, dim, toEscapes } from '../output.ts'
import { shell } from '../shell.ts'
import { sign } from '../signs.ts'
import { columnsOf, wrap } from '../wrap.ts'

export type Pending = NonNullable<RunWithSteps['pending']>

/** Everything that a decision is about: the question, or the exact arguments, never cut. */
export function showPending(pending: Pending): string {
  const { role, step_order: order, created_at: since, expires_at: expires } = pending
  const title = titles[pending.kind](pending)
  const until = expires === null ? '' : `, until ${shortTime(expires)}`
  const times = `since ${shortTime(since)}${until} UTC`
  const facts = `step ${order + 1} (${reveal(role)}), ${times}`
  const columns = columnsOf(shell().stderr)
  const margin = sign('│ ', '| ')
  return [
    wrap(`${bold(title, shell().stderr)}  ${dim(facts)}`, columns),
    // The margin distinguishes an agent's text from Muster's.
    ...reveal(pending.prompt)
      .split('\n')
      .map((line) => wrap(`${margin}${line}`, columns, margin)),
    ...(pending.tool_input === undefined ? [] : [fitArguments(pending.tool_input)]),
    ...(pending.tool_changed === undefined
      ? []
      : [dim('The current action:'), fitArguments(pending.tool_changed)]),
    ...showApprovals(pending).map((line) => wrap(line, columns)),
  ].join('\n')
}

const titles: Record<Pending['kind'], (pending: Pending) => string> = {
  input: () => 'Question',
  approval: ({ tool = '' }) => `Approval of ${reveal(tool)}`,
  budget: () => 'Approval of its cost',
}

function showApprovals({ approvals }: Pending): string[] {
  if (approvals === undefined || approvals.required === 1) return []
  const names = approvals.by.map(({ name }) => reveal(name)).join(', ')
  const by = names === '' ? '' : `: ${names}`
  return [`Approved by ${approvals.given} of ${approvals.required} people${by}`]
}

export function showArguments(input: Record<string, unknown>): string {
  return reveal(JSON.stringify(input, null, 2))
}

/** Fitted to the terminal. A line break within a text is shown as `\\n`, so a fitted line is none. */
export function fitArguments(input: Record<string, unknown>): string {
  return wrap(showArguments(input), columnsOf(shell().stderr), '    ')
}

/**
 * Shows invisible and misleading characters as JSON escapes, so that JSON stays the same JSON. Only
 * spaces and line breaks stay.
 */
export function reveal(text: string): string {
  return text.replaceAll(unseen, toEscapes)
}

const unseen = /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]--[ \n]]/gv
