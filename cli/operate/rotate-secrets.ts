import { exitCodes } from '../exit-codes.ts'
import { CliError } from '../failure.ts'
import type { Verbs } from '../noun.ts'
import { shell } from '../shell.ts'
import { withDatabase } from './migrate.ts'

export function addRotateSecrets({ local }: Verbs): void {
  local(
    'rotate-secrets',
    're-encrypt all stored secrets with MUSTER_SECRET_KEY; MUSTER_SECRET_KEYS has the old keys',
    async ({ out }) => {
      const { readConfig } = await import('../../server/start/config.ts')
      const { rotateSecrets } = await import('../../server/start/secrets.ts')
      const config = readConfig(shell().env)
      const rotated = await withDatabase((database) => rotateSecrets(database, config))
      const { key_id, sealed, unreadable } = rotated
      out.result(rotated, () =>
        [`Re-encrypted ${sealed} secrets; all use the key ${key_id} now.`]
          .concat(unreadable.length === 0 ? [] : ['Except for these:', ...unreadable])
          .join('\n'),
      )
      if (unreadable.length === 0) return
      const why = `${unreadable.length} cannot be decrypted; set them again`
      throw new CliError(exitCodes.error, 'secret_unreadable', `Cannot seal all secrets: ${why}`)
    },
  )
}
