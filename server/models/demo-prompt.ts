import type { ModelMessage, ModelTurnRequest } from './contract.ts'

/** What the offline stand-in makes of a request: the task, the work before it, the tools' answers. */
export interface DemoPrompt {
  instructions: string
  /** The original input, without the outputs of earlier roles. */
  task: string
  /** Outputs of earlier roles, in order. */
  earlier: { role: string; text: string }[]
  /** Texts of files that are in the prompt. */
  files: string
  /** Whether there are files that only tools can read. */
  hasUnreadFiles: boolean
  toolCalls: string[]
  toolResults: { name: string; text: string }[]
}

export function readPrompt({ instructions, messages }: ModelTurnRequest): DemoPrompt {
  const parts = messages.flatMap<Part>(({ content }) => content)
  const whole = messages.map(userText).filter(Boolean).join('\n\n')
  const filesAt = whole.search(filesHeading)
  const ofFiles = filesAt === -1 ? '' : whole.slice(filesAt)
  const textsAt = ofFiles.search(/^### /m)
  const [task = '', ...outputs] = whole
    .slice(0, filesAt === -1 ? undefined : filesAt)
    .split(outputHeading)
  return {
    instructions,
    task: task.replace(inputHeading, '').trim(),
    // Splitting leaves role and text in turns.
    earlier: outputs.flatMap((role, at) =>
      at % 2 === 0 ? [{ role, text: (outputs[at + 1] ?? '').trim() }] : [],
    ),
    files: textsAt === -1 ? '' : ofFiles.slice(textsAt).replaceAll(/^### .*$/gm, ''),
    hasUnreadFiles: ofFiles
      .slice(0, textsAt === -1 ? undefined : textsAt)
      .includes('files__search'),
    toolCalls: parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : [])),
    toolResults: parts.flatMap((part) =>
      part.type === 'tool-result' ? [{ name: part.toolName, text: resultText(part.output) }] : [],
    ),
  }
}

/** Whether the instructions ask for a plan, rather than for a text that follows one. */
export function asksForPlan(instructions: string): boolean {
  const follows =
    /\b(?:follow|following|along|from|based on|using|use|according to|per|execute|expand|turn)\b[^.\n]{0,40}\b(?:plan|outline)\b/i
  const writes =
    /\byou(?: are|['’]re| act as)\b[^.\n]{0,40}\b(?:writer|author|editor|reviewer|critic)\b/i
  return (
    /\b(?:plan(?:s|ner|ning)?|outlin(?:e|es|er|ing))\b/i.test(instructions) &&
    !follows.test(instructions) &&
    !writes.test(instructions)
  )
}

const outputHeading = /^#{1,4}[ \t]+output (?:of|from)[ \t]+(\S.{0,199}?)[ \t]*$/im
/** As `server/files/for-agents/plan-files.ts` writes it. */
const filesHeading = /^## Files\n\nThe files of this run\./m
const inputHeading =
  /^\s*#{1,4}[ \t]+(?:(?:original|run|user)[ \t]+)?(?:input|task|request)[ \t]*\n/i

type Part = ModelMessage['content'][number]

function userText({ role, content }: ModelMessage): string {
  if (role !== 'user') return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

function resultText(output: Extract<Part, { type: 'tool-result' }>['output']): string {
  if (output.type === 'execution-denied') return `refused: ${output.reason ?? 'no reason given'}`
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value)
}
