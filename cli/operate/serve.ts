import { Option, type Command } from 'commander'
import { shell } from '../shell.ts'

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or Ctrl-C')
    .addOption(
      new Option('--role <role>', 'what this process does')
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .action(async ({ role }: { role: 'all' | 'api' | 'worker' }) => {
      const { serve } = await import('../../server/start/main.ts')
      await serve(role, shell().env)
    })
}
