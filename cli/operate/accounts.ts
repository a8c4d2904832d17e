import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type * as OperatorVerbs from '../../server/operator/accounts.ts'
import type { Operating } from '../../server/operator/change.ts'
import type { SystemWord } from '../../server/audit/words.ts'
import { newId } from '../../server/ids.ts'
import { countCharacters } from '../format.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import type { Verbs } from '../noun.ts'
import { fields, table } from '../output.ts'
import { shell } from '../shell.ts'
import { withDatabase } from './migrate.ts'

/** Operator commands on the database, with or without a running service. */
export function addAccounts(program: Verbs): void {
  const about = 'create, suspend, export and delete accounts, directly in the database'
  const { local } = program.noun('accounts', about)
  const once = ({ admin_key: key }: { admin_key: string }) => `${key}  (shown only once)`
  local(
    'create',
    'create an account and its first admin key, which is shown only once',
    async (_call, name = '') => {
      if (name.trim() === '' || countCharacters(name) > 120) {
        throw usageError(
          'Cannot create account: the name must have 1 to 120 characters and not be blank',
        )
      }
      return operate('create account', 'account.created', (operating, verbs) =>
        verbs.createAccount(operating, newId('acc'), name),
      )
    },
    (made) =>
      fields(made, ['account', 'name', 'admin_key'], { account: ({ id }) => id, admin_key: once }),
  ).argument('<name>', 'name of the account, 1 to 120 characters')
  local(
    'add-key <account>',
    'create another admin key for an account that is locked out; it is shown only once',
    (_call, account = '') =>
      operate('add a key', 'api_key.created', (operating, verbs) =>
        verbs.addAdminKey(operating, account),
      ),
    (made) =>
      fields(made, ['account', 'key id', 'admin_key'], {
        'key id': ({ id }) => id,
        admin_key: once,
      }),
  )
  local(
    'list',
    'list the accounts, newest first',
    async () => {
      const { listAccounts } = await import('../../server/operator/accounts.ts')
      const page = { limit: 1_000, after: undefined }
      return (await withDatabase((database) => listAccounts(database, page))).items
    },
    (rows) =>
      table(rows, ['id', 'name', 'status', 'created'], {
        created: (row) => row.created_at.toISOString(),
      }),
  )
  local(
    'show <account>',
    'show an account with its quotas and usage',
    (_call, account = '') =>
      operate('retrieve account', undefined, async (operating, verbs) => {
        const found = await verbs.retrieveAccount(operating, account)
        return { ...found, use: await verbs.retrieveUse(operating, account) }
      }),
    ({ use, ...account }) => `${showAccount(account)}\n${showAccount(use)}`,
  )
  local(
    'suspend <account>',
    'suspend an account; its runs and webhooks are held until it is resumed',
    ({ options }: { options: { reason?: string } }, account = '') =>
      operate('suspend account', 'account.suspended', (operating, verbs) =>
        verbs.suspendAccount(operating, account, options.reason?.slice(0, 500)),
      ),
    showAccount,
  ).option('--reason <text>', 'why, for operators')
  local(
    'resume <account>',
    'resume a suspended account where it was',
    (_call, account = '') =>
      operate('resume account', 'account.resumed', (operating, verbs) =>
        verbs.resumeAccount(operating, account),
      ),
    showAccount,
  )
  const quotas = local(
    'set-quotas <account>',
    'limit an account\'s usage; "none" removes a limit',
    async ({ options }: { options: Record<string, number | 'none'> }, account = '') => {
      const change = Object.fromEntries(
        quotaOptions.flatMap(([, name, field]) => {
          const value = options[name]
          return value === undefined ? [] : [[field, value === 'none' ? null : value]]
        }),
      )
      if (Object.keys(change).length === 0) {
        const hint = 'see muster accounts set-quotas --help'
        throw usageError(`Cannot update account: nothing to change; ${hint}`)
      }
      await checkQuotas(change)
      return operate('update account', 'account.updated', (operating, verbs) =>
        verbs.updateAccount(operating, account, change),
      )
    },
    showAccount,
  )
  for (const [flag, , , description] of quotaOptions) {
    quotas.option(`--${flag} <number>`, description, parseQuota)
  }
  local(
    'export <account>',
    'write all data of an account as JSON Lines, without secrets',
    async ({ options }: { options: { out?: string } }, account = '') => {
      await operate('export account', undefined, async (operating, verbs) => {
        const { exportAccount } = await import('../../server/operator/export.ts')
        await verbs.retrieveAccount(operating, account)
        const lines = Readable.from(exportAccount(operating.database, account))
        const { out } = options
        const to =
          out === undefined
            ? shell().stdout
            : createWriteStream(resolve(shell().cwd(), out), { mode: 0o600 })
        await pipeline(lines, to, { end: out !== undefined })
      })
      return undefined
    },
  ).option('--out <file>', 'file to write to; standard output by default')
  local(
    'delete <account>',
    'delete an account and all its data, including at providers; needs a running service',
    ({ options }: { options: { yes?: true } }, account = '') => {
      if (options.yes !== true) {
        throw usageError(`This cannot be undone: add --yes to delete account ${account}`)
      }
      return operate('delete account', 'account.deleted', async (operating) => {
        const { deleteAccount } = await import('../../server/operator/erase.ts')
        return deleteAccount(operating, account)
      })
    },
    showAccount,
  ).option('--yes', 'do it')
}

/** The option, its name in commander, and the field. */
const quotaOptions = [
  ['runs-a-day', 'runsADay', 'max_runs_a_day', 'runs triggered or retried per day (UTC)'],
  ['mails-a-day', 'mailsADay', 'max_mails_a_day', 'emails sent by agents per day (UTC)'],
  ['cost-a-day', 'costADay', 'max_cost_usd_a_day', 'cost of model calls per day (UTC) in USD'],
  [
    'cost-a-month',
    'costAMonth',
    'max_cost_usd_a_month',
    'cost of model calls per month (UTC) in USD',
  ],
  ['stored-bytes', 'storedBytes', 'max_stored_bytes', 'bytes stored'],
  ['file-bytes', 'fileBytes', 'max_file_bytes', 'bytes of files'],
] as const

function parseQuota(text: string): number | 'none' {
  if (text === 'none') return text
  const number = Number(text)
  if (/^\d+(\.\d+)?$/.test(text)) return number
  throw usageError(`${JSON.stringify(text)} is not a number of 0 or more, nor "none"`)
}

/** Validates quotas by the API's schema. */
async function checkQuotas(change: object): Promise<void> {
  const { UpdateAccount } = await import('../../server/operator/schema.ts')
  const { Errors } = await import('typebox/value')
  const [error] = Errors(UpdateAccount, change)
  if (error === undefined) return
  const name = error.instancePath.slice(1)
  throw usageError(`Cannot update account: ${name} ${error.message}`)
}

function showAccount(account: object): string {
  const shown = JSON.parse(JSON.stringify(account)) as Record<string, unknown>
  return fields(shown, Object.keys(shown))
}

async function operate<T>(
  action: string,
  /** Undefined for read-only commands, which are not logged. */
  word: SystemWord | undefined,
  work: (operating: Operating, verbs: typeof OperatorVerbs) => Promise<T>,
): Promise<T> {
  const { DomainError } = await import('../../server/errors.ts')
  const { bySystem } = await import('../../server/audit/record.ts')
  const verbs = await import('../../server/operator/accounts.ts')
  try {
    return await withDatabase((database) =>
      work({ database, action, audit: bySystem('operator', word as SystemWord) }, verbs),
    )
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (error.code !== 'not_found') throw new CliError(exitCodes.error, error.code, error.message)
    const message = `${error.message}, see muster accounts list`
    throw new CliError(exitCodes.notFound, error.code, message)
  }
}
