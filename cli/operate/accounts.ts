import type { Command } from 'commander'
import { countCharacters } from '../format.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import { fields, table, type Output } from '../output.ts'
import { withDatabase } from './database.ts'

/** For operators: these work on the database, with and without a running service. */
export function addAccounts(program: Command, output: () => Output): void {
  const accounts = program
    .command('accounts')
    .description('create and list accounts and let people back in, on the database itself')

  accounts
    .command('create')
    .description('create an account and its first admin key, which is shown once')
    .argument('<name>', 'name of the account, 1 to 120 characters')
    .action(async (name: string) => {
      if (name.trim() === '' || countCharacters(name) > 120) {
        throw usageError('Cannot create account: the name must have 1 to 120 characters')
      }
      const { createAccount } = await import('../../server/accounts/create-account.ts')
      const { id, adminKey } = await withDatabase((database) => createAccount(database, name))
      output().result({ id, name, admin_key: adminKey }, () =>
        fields([
          ['account', id],
          ['name', name],
          ['admin key', `${adminKey}  (shown this once)`],
        ]),
      )
    })

  accounts
    .command('add-key')
    .description('create another admin key for an account that is locked out; it is shown once')
    .argument('<account>', 'id of the account')
    .action(async (account: string) => {
      const { addAdminKey } = await import('../../server/accounts/add-admin-key.ts')
      const made = await withDatabase((database) => addAdminKey(database, account))
      if (made === undefined) {
        throw new CliError(
          exitCodes.notFound,
          'not_found',
          `Cannot add a key: no account ${account}, see muster accounts list`,
        )
      }
      output().result({ id: made.id, account, admin_key: made.adminKey }, () =>
        fields([
          ['account', account],
          ['key id', made.id],
          ['admin key', `${made.adminKey}  (shown this once)`],
        ]),
      )
    })

  accounts
    .command('list')
    .description('list the accounts')
    .action(async () => {
      const { listAccounts } = await import('../../server/accounts/list-accounts.ts')
      const rows = await withDatabase(listAccounts)
      output().result(rows, () =>
        table(
          ['ID', 'NAME', 'CREATED'],
          rows.map((row) => [row.id, row.name, row.created_at.toISOString()]),
        ),
      )
    })
}
