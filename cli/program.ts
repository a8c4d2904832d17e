import {
  Command,
  CommanderError,
  type AddHelpTextContext,
  type AddHelpTextPosition,
  type Help,
} from 'commander'
import { version } from '../server/version.ts'
import { addAccounts } from './operate/accounts.ts'
import { addBackup } from './operate/backup.ts'
import { addCatchMail } from './operate/catch-mail.ts'
import { addDemo } from './operate/demo.ts'
import { addDoctor } from './operate/doctor.ts'
import { addBatches } from './commands/batches.ts'
import { addFiles } from './commands/files.ts'
import { addInit } from './commands/init.ts'
import { addFineTunes } from './commands/fine-tunes.ts'
import { addMigrate } from './operate/migrate.ts'
import { addModels } from './commands/models.ts'
import { addChat } from './commands/chat.ts'
import { addRespond } from './commands/respond.ts'
import { addRun } from './commands/run.ts'
import { addRuns } from './commands/runs.ts'
import { addRotateSecrets } from './operate/rotate-secrets.ts'
import { addServe } from './operate/serve.ts'
import { addUsers } from './operate/users.ts'
import { addTools } from './commands/tools-serve.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { readEnvFile } from './connection.ts'
import { exitCodes, exitCodesHelp } from './exit-codes.ts'
import { CliError, toFailure } from './failure.ts'
import { verbsOf } from './noun.ts'
import { addCompletion } from './completion/commands.ts'
import { addFileCommands } from './files/commands.ts'
import { FittedHelp, helpWidthOf } from './help.ts'
import { addProfiles } from './profiles/commands.ts'
import { addResourceCommands } from './resource-commands.ts'
import { Output } from './output.ts'
import { shell } from './shell.ts'
import { wrap } from './wrap.ts'

/** Runs one command line; sets the exit code and resolves when everything is done. */
export async function runCli(argv: string[]): Promise<void> {
  // A closed stdout, as with `head`, is not an error; a service continues without it.
  const caller = shell()
  const runsService = ['demo', 'serve'].includes(argv.find((word) => !word.startsWith('-')) ?? '')
  caller.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      const failure = toFailure(unwritable(error))
      new Output(isJson(argv)).failure(failure)
      caller.exit(failure.exitCode)
    }
    if (!runsService) caller.exit(exitCodes.ok)
  })
  caller.stderr.on('error', () => {})
  try {
    await createProgram(argv).parseAsync(argv, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return
    const failure = toFailure(error)
    caller.exitCode = failure.exitCode
    // Help was shown instead of an error message.
    if (error instanceof CommanderError && error.code === 'commander.help') return
    new Output(isJson(argv)).failure(failure)
  }
}

function unwritable({ message }: Error): CliError {
  return new CliError(exitCodes.error, 'unwritable_output', `Cannot write the output: ${message}`)
}

/** Commands of its kind show help that fits. */
class Program extends Command {
  override createHelp(): Help {
    return Object.assign(new FittedHelp(), this.configureHelp())
  }

  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    return super.addHelpText(position, (context) => {
      const written = typeof text === 'string' ? text : text(context)
      return wrap(written, helpWidthOf(context.error ? 'stderr' : 'stdout'))
    })
  }

  override createCommand(name?: string): Command {
    return new Program(name)
  }
}

export function createProgram(argv: string[]): Command {
  const program = new Program('muster')
    .description('Durable runs of language-model crews.')
    .version(version)
    .option('--json', 'print JSON, including errors, which go to stderr')
    .option('--url <url>', 'address of the service (MUSTER_URL, else this machine and PORT)')
    .option(
      '--profile <profile>',
      'stored address and key to use (MUSTER_PROFILE); see muster login',
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void shell().stdout.write(text),
      writeErr: (text) => void shell().stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => helpWidthOf('stdout'),
      getErrHelpWidth: () => helpWidthOf('stderr'),
    })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', exitCodesHelp)
  const verbs = verbsOf(program, () => new Output(isJson(argv)))
  for (const add of [addDemo, addServe, addCatchMail, addMigrate, addDoctor, addRotateSecrets])
    add(verbs)
  for (const add of [addBackup, addAccounts, addUsers]) add(verbs)
  // Only for commands that run in the operator's own folder; `connect` reads `.env` of any folder
  // safely.
  for (const command of program.commands) command.hook('preAction', loadEnvFile)
  addResourceCommands(verbs)
  addFileCommands(verbs)
  for (const add of [
    addInit,
    addRun,
    addChat,
    addRuns,
    addBatches,
    addFiles,
    addRespond,
    addWebhooks,
    addTools,
    addFineTunes,
    addModels,
    addProfiles,
    addCompletion,
  ])
    add(verbs)
  for (const group of program.commands) {
    const names = group.commands.map((command) => command.name())
    if (group.description() === '') group.description(names.join(', '))
  }
  return program
}

async function loadEnvFile(): Promise<void> {
  const { env } = shell()
  for (const [name, value] of Object.entries((await readEnvFile()) ?? {})) env[name] ??= value
}

/** Checked before parsing, so that usage errors can be JSON too. */
function isJson(argv: string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json')
}
