import { getPriority, setPriority } from 'node:os'

/** What runs in a thread of the sandbox: it loads the file of a task, and calls its function. */

// Requests take precedence. On Linux each thread has its own priority; elsewhere this would change
// the whole process.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), 10))

type Task = (input: unknown) => unknown

export async function load(url: string): Promise<void> {
  await import(url)
}

export async function run({
  url,
  name,
  input,
}: {
  url: string
  name: string
  input: unknown
}): Promise<unknown> {
  const tasks = (await import(url)) as Record<string, Task | undefined>
  return tasks[name]?.(input)
}
