import { countCharacters } from '../format.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import type { Verbs } from '../noun.ts'
import { fields, table } from '../output.ts'
import { withDatabase } from './migrate.ts'

/** For operators: these work on the database, with and without a running service. */
export function addAccounts(program: Verbs): void {
  const about = 'create and list accounts and let people back in, on the database itself'
  const { local } = program.noun('accounts', about)
  const once = ({ admin_key: key }: { admin_key: string }) => `${key}  (shown this once)`
  local(
    'create',
    'create an account and its first admin key, which is shown once',
    async (_call, name = '') => {
      if (name.trim() === '' || countCharacters(name) > 120) {
        throw usageError('Cannot create account: the name must have 1 to 120 characters')
      }
      const { createAccount } = await import('../../server/accounts/create-account.ts')
      const { id, adminKey } = await withDatabase((database) => createAccount(database, name))
      return { id, name, admin_key: adminKey }
    },
    (made) =>
      fields(made, ['account', 'name', 'admin_key'], { account: ({ id }) => id, admin_key: once }),
  ).argument('<name>', 'name of the account, 1 to 120 characters')
  local(
    'add-key <account>',
    'create another admin key for an account that is locked out; it is shown once',
    async (_call, account = '') => {
      const { addAdminKey } = await import('../../server/accounts/create-account.ts')
      const made = await withDatabase((database) => addAdminKey(database, account))
      if (made !== undefined) return { id: made.id, account, admin_key: made.adminKey }
      const why = `no account ${account}, see muster accounts list`
      throw new CliError(exitCodes.notFound, 'not_found', `Cannot add a key: ${why}`)
    },
    (made) =>
      fields(made, ['account', 'key id', 'admin_key'], {
        'key id': ({ id }) => id,
        admin_key: once,
      }),
  )
  local(
    'list',
    'list the accounts',
    async () => {
      const { listAccounts } = await import('../../server/accounts/create-account.ts')
      return withDatabase(listAccounts)
    },
    (rows) =>
      table(rows, ['id', 'name', 'created'], { created: (row) => row.created_at.toISOString() }),
  )
}
