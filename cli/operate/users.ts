import { Argument, type Command } from 'commander'
import { roles, type Role } from '../../server/roles.ts'
import { emailPattern } from '../../server/people/email.ts'
import type { Operated } from '../../server/people/operate.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import { fields, table, type Output } from '../output.ts'
import { shell } from '../shell.ts'
import { withDatabase } from './database.ts'

/** People, for an operator: on the database itself, also when nobody can sign in any more. */
export function addUsers(program: Command, output: () => Output): void {
  const users = program
    .command('users')
    .description('list people, invite them and let them back in, on the database itself')
    .option('--account <id>', 'account of the people; the first one by default')
  const email = (): Argument => new Argument('<email>', 'e-mail address').argParser(parseEmail)
  const role = (): Argument => new Argument('<role>', 'what they may do').choices([...roles])
  const done = (result: Record<string, unknown>) =>
    output().result(result, () =>
      fields(
        Object.entries(result).map(([name, value]) => [name.replaceAll('_', ' '), String(value)]),
      ),
    )

  users
    .command('list')
    .description('list the people of the account, newest first')
    .action(() =>
      operate(async (operated) => {
        const { listPeople } = await import('../../server/people/operate.ts')
        const people = await listPeople(operated)
        output().result(people, () =>
          table(
            ['ID', 'E-MAIL', 'NAME', 'ROLE', 'LAST SIGN-IN'],
            people.map((one) => [
              one.id,
              one.email,
              one.name,
              one.role,
              one.last_signed_in_at?.toISOString() ?? 'never',
            ]),
          ),
        )
      }),
    )
  users
    .command('setup-link')
    .description('make a new link for the first admin, good for 15 minutes and one use')
    .action(() =>
      operate(async (operated) => {
        const { renewSetupLink } = await import('../../server/people/setup.ts')
        const link = await renewSetupLink(operated, operated.accountId)
        if (link === undefined) {
          throw new CliError(
            exitCodes.error,
            'user_exists',
            'Cannot make a link: there are users already, invite with muster users invite',
          )
        }
        done({ link })
      }),
    )
  users
    .command('invite')
    .description('make a link that adds a person to the account, good for 7 days and one use')
    .addArgument(email())
    .addArgument(role())
    .action((address: string, wanted: Role) =>
      operate(async (operated) => {
        const { inviteAsOperator } = await import('../../server/people/operate.ts')
        const link = await inviteAsOperator(operated, address, wanted)
        done({ email: address, role: wanted, link })
      }),
    )
  users
    .command('set-role')
    .description('set the role of a person in the account; their sessions in it end')
    .addArgument(email())
    .addArgument(role())
    .action((address: string, wanted: Role) =>
      operate(async (operated) => {
        const { setRoleAsOperator } = await import('../../server/people/operate.ts')
        await setRoleAsOperator(operated, address, wanted)
        done({ email: address, role: wanted })
      }),
    )
  users
    .command('reset-password')
    .description('set a random password, which is shown once, and end all sessions of the person')
    .addArgument(email())
    .action((address: string) =>
      operate(async (operated) => {
        const { resetPassword } = await import('../../server/people/operate.ts')
        done({ email: address, password: await resetPassword(operated, address) })
      }),
    )
  users
    .command('remove')
    .description('take a person out of the account')
    .addArgument(email())
    .action((address: string) =>
      operate(async (operated) => {
        const { removeAsOperator } = await import('../../server/people/operate.ts')
        await removeAsOperator(operated, address)
        done({ email: address, removed: true })
      }),
    )

  async function operate(work: (operated: Operated) => Promise<void>): Promise<void> {
    const { account } = users.opts<{ account?: string }>()
    const { DomainError } = await import('../../server/errors.ts')
    try {
      await withDatabase((database) =>
        work({ database, accountId: account, publicUrl: publicUrl() }),
      )
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      throw new CliError(exitCodes.notFound, error.code, `Cannot do it: ${error.message}`)
    }
  }
}

function parseEmail(text: string): string {
  if (text.length <= 254 && new RegExp(emailPattern).test(text)) return text
  throw usageError(`${JSON.stringify(text)} is not an e-mail address`)
}

function publicUrl(): string {
  const { env } = shell()
  const [host, port] = [env['HOST']?.trim() || '127.0.0.1', env['PORT']?.trim() || '3000']
  return env['MUSTER_PUBLIC_URL']?.trim() || `http://${host}:${port}`
}
