import type { ModelMessage, ModelTurnRequest } from './contract.ts'

/** What the offline stand-in makes of a request: the task, the work before it, the tools' answers. */
export interface DemoPrompt {
  instructions: string
  /** The original input, without the outputs of earlier roles. */
  task: string
  /** Outputs of earlier roles, in order. */
  earlier: { role: string; text: string }[]
  toolCalls: { id: string; name: string }[]
  toolResults: { name: string; text: string }[]
}

export function readPrompt(request: ModelTurnRequest): DemoPrompt {
  const { task, earlier } = splitOutputs(
    request.messages.map(userText).filter(Boolean).join('\n\n'),
  )
  const parts = request.messages.flatMap((message) => [...message.content])
  return {
    instructions: request.instructions,
    task,
    earlier,
    toolCalls: parts
      .filter((part) => part.type === 'tool-call')
      .map((part) => ({ id: part.toolCallId, name: part.toolName })),
    toolResults: parts
      .filter((part) => part.type === 'tool-result')
      .map((part) => ({ name: part.toolName, text: resultText(part.output) })),
  }
}

/** Whether the instructions ask for a plan, rather than for a text that follows one. */
export function asksForPlan(instructions: string): boolean {
  const follows =
    /\b(?:follow|following|from|based on|using|use|according to|per|execute|expand|turn)\b[^.\n]{0,40}\b(?:plan|outline)\b/i
  const writes =
    /\byou(?: are|['’]re| act as)\b[^.\n]{0,40}\b(?:writer|author|editor|reviewer|critic)\b/i
  return (
    /\b(?:plan|plans|planner|planning|outline|outlines|outliner|outlining)\b/i.test(instructions) &&
    !follows.test(instructions) &&
    !writes.test(instructions)
  )
}

const outputHeading = /^#{1,4}[ \t]+output (?:of|from)[ \t]+(\S.{0,199}?)[ \t]*$/gim
const inputHeading =
  /^\s*#{1,4}[ \t]+(?:(?:original|run|user)[ \t]+)?(?:input|task|request)[ \t]*\n/i

function splitOutputs(text: string): Pick<DemoPrompt, 'task' | 'earlier'> {
  const headings = [...text.matchAll(outputHeading)]
  const end = headings[0]?.index ?? text.length
  return {
    task: text.slice(0, end).replace(inputHeading, '').trim(),
    earlier: headings.map((heading, index) => ({
      role: heading[1] ?? '',
      text: text
        .slice(heading.index + heading[0].length, headings[index + 1]?.index ?? text.length)
        .trim(),
    })),
  }
}

function userText(message: ModelMessage): string {
  if (message.role !== 'user') return ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

type ToolOutput = Extract<
  Extract<ModelMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function resultText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'execution-denied':
      return `refused${output.reason === undefined ? '' : `: ${output.reason}`}`
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    default:
      return JSON.stringify(output.value)
  }
}
