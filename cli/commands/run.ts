import { exitCodeOf, followThrough } from '../follow.ts'
import { given, wholeNumber, type LocalCall, type Verbs } from '../noun.ts'
import { forStdout, outputOf } from '../output.ts'
import { answerWhileFollowing } from '../pending/answer.ts'
import { readData, readInput, several, tag } from '../run-input.ts'
import { findWorkflow } from '../named.ts'
import { RunProgress } from '../run-progress.ts'
import { shell } from '../shell.ts'
import { uploadAll } from '../upload.ts'

interface RunOptions {
  input?: string
  file?: string
  data?: string
  tag?: Record<string, string>
  attach?: string[]
  workflowVersion?: number
  agentVersion?: Record<string, number>
  wait: boolean
  strict?: true
}

export function addRun({ local }: Verbs): void {
  local(
    'run <workflow>',
    'run a workflow, follow it, and print its output',
    async ({ options, out, connect }: LocalCall<RunOptions>, name = '', source) => {
      const data = await readData(options.data)
      const input = await readInput(source, options)
      const muster = await connect()
      const workflow = await findWorkflow(muster, 'run workflow', name)
      const files = await uploadAll(muster, out, options.attach)
      const body = given({
        input,
        data,
        files,
        tags: options.tag,
        version: options.workflowVersion,
        agent_versions: options.agentVersion,
      })
      const view = options.wait ? new RunProgress(out) : undefined
      const deltas = given({ deltas: view?.isLive === true ? true : undefined })
      const run = await muster.runs.create(workflow.id, body, deltas).catch((error: unknown) => {
        view?.close()
        throw error
      })
      if (view === undefined) {
        out.result(run, () => run.id)
        return
      }
      const answer = answerWhileFollowing(muster, out)
      const ended = await followThrough(muster, run.id, view, answer)
      shell().exitCode = exitCodeOf(ended, options)
      if (out.isJson || ended.output !== null) out.result(ended, () => forStdout(outputOf(ended)))
      else if (ended.status !== 'waiting_input') {
        out.note(`See it with: muster runs show ${ended.id}`)
      }
    },
  )
    .argument('[-]', 'read the input from stdin, which is automatic for piped text')
    .option('--input <text>', 'the input, at most 16,000 characters')
    .option('--file <file>', 'read the input from a file, - for stdin')
    .option('--data <json>', 'an input object for the crew as JSON, or @ and the name of a file')
    .option(
      '--attach <file>',
      'add a file to the run, by path or file id; may be repeated up to 20 times',
      several,
    )
    .option('--tag <key=value>', 'label the run; may be repeated', tag)
    .option(
      '--workflow-version <number>',
      'run this version, such as a draft, instead of the live one',
      wholeNumber(1, 999_999_999),
    )
    .option(
      '--agent-version <id=number>',
      'use this version of an agent of the crew, such as a draft; may be repeated',
      agentVersion,
    )
    .option('--strict', 'exit with 6 if the run completes with warnings')
    .option('--no-wait', "print the run's id without following it")
    .addHelpText(
      'after',
      '\nProgress goes to stderr: muster run "Weekly report" --file notes.md > report.md',
    )
}

function agentVersion(text: string, before: Record<string, number> = {}): Record<string, number> {
  const [id, version] = Object.entries(tag(text))[0] as [string, string]
  return { ...before, [id]: wholeNumber(1, 999_999_999)(version) }
}
