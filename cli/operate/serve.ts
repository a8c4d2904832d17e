import { Option } from 'commander'
import type { LocalCall, Verbs } from '../noun.ts'
import { shell } from '../shell.ts'

const roles = ['all', 'api', 'worker'] as const

interface ServeOptions {
  role: (typeof roles)[number]
  restored?: boolean
}

export function addServe({ local }: Verbs): void {
  local(
    'serve',
    'run the service until SIGTERM or Ctrl-C',
    async ({ options: { role, restored } }: LocalCall<ServeOptions>) => {
      const { serve } = await import('../../server/start/main.ts')
      await serve(role, shell().env, { isRestored: restored === true })
    },
  )
    .addOption(
      new Option('--role <role>', 'role of this process').choices([...roles]).default('all'),
    )
    .option('--restored', 'the database was restored: ask before open actions, hold webhooks')
}
