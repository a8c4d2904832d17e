import { resolve } from 'node:path'
import { Option } from 'commander'
import type { LocalCall, Verbs } from '../noun.ts'
import { shell } from '../shell.ts'

/** Operator commands that back up, restore and move the database. */
export function addBackup({ local }: Verbs): void {
  const log = (line: string) => shell().stderr.write(`${line}\n`)
  const pathOf = (file: string) => resolve(shell().cwd(), file)
  const readConfig = async () =>
    (await import('../../server/start/config.ts')).readConfig(shell().env)
  const rows = (tables: Record<string, number>) =>
    Object.values(tables).reduce((sum, count) => sum + count, 0)

  local(
    'backup',
    'copy the whole database to a file, while the service keeps running',
    async ({ options, out }: LocalCall<{ withSecretKey?: boolean }>, file = '') => {
      const { backUp } = await import('../../server/start/backup.ts')
      const withKey = options.withSecretKey === true
      const made = await backUp(await readConfig(), pathOf(file), { withKey, log })
      out.note(
        withKey
          ? 'This file has the secret key: anyone who can read it can read all stored secrets.'
          : 'This file has NO SECRET KEY. Store MUSTER_SECRET_KEY, or the file `secret-key` of the data folder, ' +
              'elsewhere: without it, stored secrets are lost.',
      )
      for (const { store, files } of made.files_elsewhere) {
        out.note(
          `This file does NOT HAVE THE CONTENTS of ${files} uploaded files: they are in ${store}. Back up that ` +
            'bucket too.',
        )
      }
      return made
    },
    ({ file, bytes }) => `Backed up to ${file} (${bytes} bytes).`,
  )
    .argument('<file>', 'file to create; it must not exist')
    .option('--with-secret-key', 'include the key of stored secrets in the file')

  local(
    'restore',
    'restore a backup into an empty database, with the service stopped',
    async ({ out }, file = '') => {
      const { restoreFrom } = await import('../../server/start/backup.ts')
      const config = await readConfig()
      const restored = await restoreFrom(config, pathOf(file), log)
      if (!restored.has_secret_key) {
        out.note('The backup has no secret key: set MUSTER_SECRET_KEY to the key of its database.')
      } else if (config.databaseUrl !== undefined) {
        out.note(`Its secret key is in ${config.dataDir}/secret-key: set MUSTER_SECRET_KEY to it.`)
      }
      out.note(
        'Webhooks and background work are held until `muster release-deliveries`; see `muster doctor`.',
      )
      return restored
    },
    ({ made_at, release, tables }) =>
      `Restored ${rows(tables)} rows of ${made_at}, made by Muster ${release}.`,
  ).argument('<file>', 'a file made by `muster backup`')

  local(
    'move',
    'move everything between the embedded database and DATABASE_URL, with the service stopped',
    async ({ options: { to } }: LocalCall<{ to: 'embedded' | 'external' }>) => {
      const { moveDatabase } = await import('../../server/start/backup.ts')
      return moveDatabase(await readConfig(), to, log)
    },
    ({ tables }) => `Moved ${rows(tables)} rows.`,
  ).addOption(
    new Option('--to <database>', 'external: to DATABASE_URL, embedded: to the data folder')
      .choices(['external', 'embedded'])
      .makeOptionMandatory(),
  )
}
