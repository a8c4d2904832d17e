import type { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { CliError } from '../failure.ts'
import type { Output } from '../output.ts'
import { shell } from '../shell.ts'
import { withDatabase } from './database.ts'

export function addRotateSecrets(program: Command, output: () => Output): void {
  program
    .command('rotate-secrets')
    .description('seal all stored secrets under MUSTER_SECRET_KEY; MUSTER_SECRET_KEYS has the old')
    .action(async () => {
      const { readConfig } = await import('../../server/start/config.ts')
      const { rotateSecrets } = await import('../../server/start/secrets.ts')
      const config = readConfig(shell().env)
      const rotated = await withDatabase((database) => rotateSecrets(database, config))
      const { key_id, sealed, unreadable } = rotated
      output().result(rotated, () =>
        [`Sealed ${sealed} secrets anew; all are under the key ${key_id} now.`]
          .concat(unreadable.length === 0 ? [] : ['But for these:', ...unreadable])
          .join('\n'),
      )
      if (unreadable.length === 0) return
      const why = `${unreadable.length} cannot be opened, set them again`
      throw new CliError(exitCodes.error, 'secret_unreadable', `Cannot seal all secrets: ${why}`)
    })
}
