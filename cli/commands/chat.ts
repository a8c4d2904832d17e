import { createInterface } from 'node:readline'
import type { Muster, ThreadMessage } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { followThrough } from '../follow.ts'
import { findWorkflow } from '../named.ts'
import { given, type LocalCall, type Verbs } from '../noun.ts'
import { forStdout, type Output } from '../output.ts'
import { answerWhileFollowing } from '../pending/answer.ts'
import { askLine, canAsk } from '../pending/prompt.ts'
import { RunProgress } from '../run-progress.ts'
import { programName, shell } from '../shell.ts'

interface ChatOptions {
  key?: string
}

export function addChat({ local }: Verbs): void {
  local(
    'chat <workflow>',
    'talk to a workflow: one message a line, each answer on stdout',
    async ({ options, out, connect }: LocalCall<ChatOptions>, name = '') => {
      const muster = await connect()
      const workflow = await findWorkflow(muster, 'create thread', name)
      const body = given({ workflow_id: workflow.id, key: options.key })
      const thread = await muster.threads.create(body as { workflow_id: string })
      out.note(`Thread ${thread.id}. Go on later with ${goOn(workflow.id, options.key)}`)
      for await (const line of linesOf(out)) {
        if (line.trim() === '') continue
        const sent = await muster.threads.send(thread.id, { input: line }, { deltas: true })
        await follow(muster, out, sent)
      }
    },
  )
    .option('--key <key>', 'go on with the thread of this key, or create it')
    .addHelpText(
      'after',
      '\nOn a pipe, one message a line: printf "%s\\n" "Which pump?" "Why?" | muster chat Pumps',
    )
}

function goOn(workflowId: string, key: string | undefined): string {
  return key === undefined
    ? 'a --key, or in the console'
    : `${programName()} chat ${workflowId} --key ${key}`
}

/** Lines of a pipe, or those that a person types. */
async function* linesOf(out: Output): AsyncGenerator<string> {
  if (!canAsk(out)) {
    yield* createInterface({ input: shell().stdin })
    return
  }
  for (;;) {
    const line = await askLine('> ', { nothing: 'The thread stays open.' })
    if (line === undefined) return
    yield line
  }
}

/** Shows a turn, and asks for what it waits for, until it has ended. */
async function follow(muster: Muster, out: Output, sent: ThreadMessage): Promise<void> {
  const { message: begun } = await muster.threads.wait(sent.thread_id, sent, { until: 'run' })
  if (begun.run_id !== null) {
    await followThrough(
      muster,
      begun.run_id,
      new RunProgress(out),
      answerWhileFollowing(muster, out),
    )
  }
  const { message, answer } = await muster.threads.wait(sent.thread_id, sent)
  if (answer !== undefined) {
    if (out.isJson) out.jsonLine({ message, answer })
    else shell().stdout.write(`${forStdout(answer.text)}\n`)
    return
  }
  shell().exitCode = exitCodes.runFailed
  if (out.isJson) out.jsonLine({ message, answer: null })
  else out.note(`No answer: ${message.status}${message.why === null ? '' : `, ${message.why}`}`)
}
