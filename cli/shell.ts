import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What a command gets from whoever calls it: its streams, environment, folder, signals, and where its
 * exit code goes. That is the process; tests give their own, so that many commands run in one process.
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

/** How the caller starts this program; a package that is not installed globally needs `npx`. */
export function programName(): string {
  return shell().env['npm_command'] === 'exec' ? 'npx muster' : 'muster'
}
