import type { Command } from 'commander'
import { connect } from '../connection.ts'
import { exitCodeOf, followThrough } from '../follow.ts'
import { forStdout, type Output } from '../output.ts'
import { answerWhileFollowing } from '../pending/answer.ts'
import { readInput } from '../run-input.ts'
import { findWorkflow } from '../named.ts'
import { given } from '../noun.ts'
import { RunProgress } from '../run-progress.ts'
import { shell } from '../shell.ts'
import { tag } from '../tags.ts'

interface RunOptions {
  input?: string
  file?: string
  tag?: Record<string, string>
  wait: boolean
}

export function addRun(program: Command, output: () => Output): void {
  program
    .command('run')
    .description('run a workflow, follow it, and print its output')
    .argument('<workflow>', 'id or exact name')
    .argument('[-]', 'take the input from stdin, as is done anyway when a text is piped in')
    .option('--input <text>', 'the input, at most 16,000 characters')
    .option('--file <file>', 'take the input from a file, - for stdin')
    .option('--tag <key=value>', 'label the run; may be given more than once', tag)
    .option('--no-wait', 'print the id of the run and leave it to itself')
    .addHelpText(
      'after',
      '\nProgress goes to stderr: muster run "Weekly report" --file notes.md > report.md',
    )
    .action(
      async (name: string, source: string | undefined, options: RunOptions, command: Command) => {
        const out = output()
        const input = await readInput({ source, input: options.input, file: options.file })
        const muster = await connect(command)
        const workflow = await findWorkflow(muster, 'run workflow', name)
        const run = await muster.runs.create(workflow.id, {
          input,
          ...given({ tags: options.tag }),
        })
        if (!options.wait) {
          out.result(run, () => run.id)
          return
        }
        const answer = answerWhileFollowing(muster, out)
        const ended = await followThrough(muster, run.id, new RunProgress(out), answer)
        shell().exitCode = exitCodeOf(ended)
        if (out.isJson) out.result(ended, () => '')
        else if (ended.output !== null) out.result(ended, () => forStdout(ended.output ?? ''))
        else if (ended.status !== 'waiting_input')
          out.note(`See it with: muster runs show ${ended.id}`)
      },
    )
}
