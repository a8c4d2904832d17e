import { Argument, type Command } from 'commander'
import { roles, type Role } from '../../server/identity.ts'
import { isEmail } from '../../server/email-text.ts'
import type { Operated } from '../../server/people/operate.ts'
import { findKept } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import type { Verbs } from '../noun.ts'
import { fields, table } from '../output.ts'
import { shell } from '../shell.ts'
import { withDatabase } from './migrate.ts'

/** Operator commands on users in the database itself, even if no one can sign in any more. */
export function addUsers(program: Verbs): void {
  const about = 'list and invite people and restore their access, directly in the database'
  const { command: users, local } = program.noun('users', about)
  users.option('--account <id>', "the people's account; the first one by default")
  const email = new Argument('<email>', 'email address').argParser(parseEmail)
  const role = new Argument('<role>', 'their role').choices([...roles])

  add(
    'list',
    'list the people of the account, newest first',
    async (operated) => (await import('../../server/people/operate.ts')).listPeople(operated),
    (people) =>
      table(people, ['id', 'email', 'name', 'role', 'last sign-in'], {
        email: (one) => one.email,
        'last sign-in': (one) => one.last_signed_in_at?.toISOString() ?? 'never',
      }),
  )
  add(
    'setup-link',
    'create a new link for the first admin, valid once within 15 minutes',
    async (operated) => {
      const { renewSetupLinkAsOperator } = await import('../../server/people/operate.ts')
      const link = await renewSetupLinkAsOperator(operated)
      if (link !== undefined) return { link }
      const why = 'there are users already, invite with muster users invite'
      throw new CliError(exitCodes.error, 'user_exists', `Cannot make a link: ${why}`)
    },
  )
  add(
    'invite',
    'create a link that adds a person to the account, valid once within 7 days',
    async (operated, address, wanted) => {
      const { inviteAsOperator } = await import('../../server/people/operate.ts')
      const link = await inviteAsOperator(operated, address, wanted)
      return { email: address, role: wanted, link }
    },
  )
    .addArgument(email)
    .addArgument(role)
  add(
    'set-role',
    "set a person's role in the account; their sessions in it end",
    async (operated, address, wanted) => {
      const { setRoleAsOperator } = await import('../../server/people/operate.ts')
      await setRoleAsOperator(operated, address, wanted)
      return { email: address, role: wanted }
    },
  )
    .addArgument(email)
    .addArgument(role)
  add(
    'reset-password',
    "set a random password, which is shown only once, and end all of the person's sessions",
    async (operated, address) => {
      const { resetPassword } = await import('../../server/people/operate.ts')
      return { email: address, password: await resetPassword(operated, address) }
    },
  ).addArgument(email)
  add(
    'unlink',
    "unlink a person's identity at the OpenID Connect provider: their next sign-in identifies them by address " +
      'again',
    async (operated, address) => {
      const { unlinkAsOperator } = await import('../../server/people/operate.ts')
      await unlinkAsOperator(operated, address)
      return { email: address, unlinked: true }
    },
    (done) => fields(done, ['email', 'unlinked'], { unlinked: () => 'true' }),
  ).addArgument(email)
  add(
    'remove',
    'remove a person from the account',
    async (operated, address) => {
      const { removeAsOperator } = await import('../../server/people/operate.ts')
      await removeAsOperator(operated, address)
      return { email: address, removed: true }
    },
    (done) => fields(done, ['email', 'removed'], { removed: () => 'true' }),
  ).addArgument(email)

  function add<T extends object>(
    usage: string,
    description: string,
    work: (operated: Operated, address: string, role: Role) => Promise<T>,
    show = (done: T) => fields(done, Object.keys(done) as (keyof T & string)[]),
  ): Command {
    return local(
      usage,
      description,
      async (_call, address = '', wanted = 'viewer') => {
        const { account: accountId } = users.opts<{ account?: string }>()
        const { DomainError } = await import('../../server/errors.ts')
        const { localUrl, readConfig } = await import('../../server/start/config.ts')
        const config = readConfig(shell().env)
        const isSaid = config.databaseUrl !== undefined || shell().env['PORT']?.trim()
        const kept = isSaid ? null : await findKept(shell().env)
        const port = kept === null ? config.port : Number(kept.port || 80)
        const publicUrl = config.publicUrl ?? localUrl({ ...config, port })
        try {
          return await withDatabase((database) =>
            work({ database, accountId, publicUrl }, address, wanted as Role),
          )
        } catch (error) {
          if (!(error instanceof DomainError)) throw error
          const code = error.code === 'not_found' ? exitCodes.notFound : exitCodes.error
          throw new CliError(code, error.code, `Cannot do it: ${error.message}`)
        }
      },
      show,
    )
  }
}

function parseEmail(text: string): string {
  if (isEmail(text)) return text
  throw usageError(`${JSON.stringify(text)} is not an email address`)
}
