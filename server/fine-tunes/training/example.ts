import { hasMoreNested } from '../../json-limits.ts'

/**
 * One line of a training set: chat messages, or an object with `input` and `output`. Pure; lines
 * that a provider would reject later are rejected here, with the reason.
 */
export interface Message {
  role: string
  content?: string | null
  tool_calls?: unknown[]
}

export interface Example {
  messages: Message[]
}

export type ReadLine =
  /** `json` is the line for the provider. */
  { kind: 'example'; example: Example; json: string } | { kind: 'problem'; reason: string }

const roles = ['system', 'developer', 'user', 'assistant', 'tool']
/** Control tokens of models; providers reject files that contain them. */
const controlToken = /<\|(?:endoftext|endofprompt|im_start|im_end|im_sep|fim_\w{1,10})\|>/

const maxNested = 100_000

export function readLine(line: string): ReadLine {
  const reason = findUnusable(line)
  if (reason !== undefined) return problem(`it holds ${reason}`)
  if (line.length > maxNested && hasMoreNested(Buffer.from(line), maxNested)) {
    return problem(`it has more than ${maxNested} lists and objects`)
  }
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return problem(`it is not valid JSON: ${(error as Error).message}`)
  }
  if (!isObject(value)) return problem(`it is ${typeName(value)}, not an object`)
  if ('messages' in value) {
    const wrong = findWrongMessage(value['messages'])
    return wrong === undefined
      ? { kind: 'example', example: value as unknown as Example, json: line }
      : problem(wrong)
  }
  const { input, output } = value
  if (input === undefined || output === undefined) {
    return problem('it has neither messages nor input and output')
  }
  if (typeof input !== 'string' || typeof output !== 'string') {
    return problem(`${typeof input === 'string' ? 'output' : 'input'} is not a text`)
  }
  return toExample([
    { role: 'user', content: input },
    { role: 'assistant', content: output },
  ])
}

/** Checks generated messages like uploaded ones. */
export function toExample(messages: Message[]): ReadLine {
  const wrong = findWrongMessage(messages)
  if (wrong !== undefined) return problem(wrong)
  return { kind: 'example', example: { messages }, json: JSON.stringify({ messages }) }
}

function findWrongMessage(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return `messages is ${typeName(messages)}, not an array`
  if (messages.length === 0) return 'messages is empty'
  for (const [index, message] of messages.entries()) {
    const wrong = findWrong(message)
    if (wrong !== undefined) return `messages[${index}]${wrong}`
  }
  const known = messages as Message[]
  if (!known.some(({ role }) => role === 'assistant')) return 'messages has none of the assistant'
  const last = known.at(-1) as Message
  if (last.role !== 'assistant') {
    return `the last of messages is of the ${last.role}, not of the assistant`
  }
  if (last.tool_calls === undefined && last.content?.trim() === '') {
    return "the assistant's last message is empty"
  }
  return undefined
}

function findWrong(message: unknown): string | undefined {
  if (!isObject(message)) return ` is ${typeName(message)}, not an object`
  const { role, content, tool_calls: calls } = message
  if (typeof role !== 'string' || !roles.includes(role)) {
    return `.role is ${shown(role)}, expected ${roles.join(', ')}`
  }
  if (calls !== undefined && (!Array.isArray(calls) || calls.length === 0)) {
    return '.tool_calls is not a list with calls in it'
  }
  if (content === undefined || content === null) {
    return calls === undefined ? '.content is missing' : undefined
  }
  if (typeof content !== 'string') return `.content is ${typeName(content)}, not a text`
  const reason = findUnusable(content)
  return reason === undefined ? undefined : `.content holds ${reason}`
}

function findUnusable(text: string): string | undefined {
  if (text.includes('\0')) return 'a NUL'
  if (!text.isWellFormed()) return 'an unpaired surrogate'
  const token = controlToken.exec(text)?.[0]
  return token === undefined ? undefined : `the control token ${token}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return value === null ? 'null' : 'absent'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 80)
}

function problem(reason: string): ReadLine {
  return { kind: 'problem', reason: reason.slice(0, 300) }
}
