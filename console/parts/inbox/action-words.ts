import type { WaitingRun } from '../../../sdk/generated.ts'
import { formatUsd } from '../../ui/text/format.ts'

type Pending = Pick<
  WaitingRun['pending'],
  'kind' | 'prompt' | 'role' | 'tool' | 'tool_input' | 'cost' | 'calls'
>

interface Words {
  /** The effect of an approval, or that it is a question. */
  title: string
  /** Distinguishes it from similar requests. */
  detail: string
}

/** The label of a request. */
export function wordsOf(pending: Pending): Words {
  const { kind, prompt, role, tool = '', tool_input: input = {}, cost, calls = [] } = pending
  if (calls.length > 1) {
    const alike = Map.groupBy(calls, (call) => wordsOf({ ...call, role }).title)
    const titles = [...alike].map(([title, { length }]) =>
      length === 1 ? title : `${length} × ${title}`,
    )
    return { title: `${calls.length} requests of ${role}`, detail: titles.join(' · ') }
  }
  if (kind === 'input') return { title: `Question from ${role}`, detail: prompt }
  if (cost !== undefined) {
    const { budget, spent_usd: spent, limit_usd: limit, estimate_usd: next } = cost
    const title =
      budget === undefined
        ? 'Raise the spend limit of the run'
        : `Go beyond the budget ${budget.name}`
    const sums = `${formatUsd(spent)} of ${formatUsd(limit)} spent`
    return { title, detail: `${sums}; the next call costs up to ${formatUsd(next)}` }
  }
  const { title, detail } = actionWords(tool, input)
  // If a request is about more than its action, such as an unknown outcome, the service's prompt
  // says so.
  return { title, detail: prompt.startsWith(`${role} asks to run`) ? detail : prompt }
}

function actionWords(tool: string, input: Record<string, unknown>): Words {
  const text = (name: string) => (typeof input[name] === 'string' ? input[name] : '')
  switch (tool) {
    case 'email.send':
      return { title: `Send an email to ${text('to')}`, detail: text('subject') }
    case 'slack.post_message':
      return { title: `Post to ${text('channel')} on Slack`, detail: text('text') }
    case 'web.fetch':
      return { title: `Read ${text('url')}`, detail: '' }
    case 'files.write':
      return { title: `Write the file ${text('name')}`, detail: text('content') }
    default: {
      const [connector = '', name = connector] = tool.split(/\.(.*)/s)
      return { title: `${sentence(name)} (${connector})`, detail: argumentsOf(input) }
    }
  }
}

/** `create_contact` as words. */
function sentence(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function argumentsOf(input: Record<string, unknown>): string {
  return Object.entries(input)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')
}
