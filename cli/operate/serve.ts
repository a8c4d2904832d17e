import { Option } from 'commander'
import type { LocalCall, Verbs } from '../noun.ts'
import { shell } from '../shell.ts'

const roles = ['all', 'api', 'worker'] as const

export function addServe({ local }: Verbs): void {
  local(
    'serve',
    'run the service until SIGTERM or Ctrl-C',
    async ({ options: { role } }: LocalCall<{ role: (typeof roles)[number] }>) => {
      const { serve } = await import('../../server/start/main.ts')
      await serve(role, shell().env)
    },
  ).addOption(
    new Option('--role <role>', 'what this process does').choices([...roles]).default('all'),
  )
}
