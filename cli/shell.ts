import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The environment of a command: its streams, variables, folder, signals and exit code. Normally the
 * process; tests provide their own, so that many commands run in one process.
 */
export type Shell = Pick<
  NodeJS.Process,
  'stdin' | 'stdout' | 'stderr' | 'env' | 'cwd' | 'exitCode' | 'on' | 'off' | 'exit'
>

const given = new AsyncLocalStorage<Shell>()

export function shell(): Shell {
  return given.getStore() ?? process
}

export function runInShell<T>(one: Shell, work: () => T): T {
  return given.run(one, work)
}

/** The command that starts this program; `npx` if the package is not installed globally. */
export function programName(): string {
  return shell().env['npm_command'] === 'exec' ? 'npx muster' : 'muster'
}
