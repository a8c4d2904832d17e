import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Load, Triggered } from './load-client.ts'

/** The client that makes load, in a process of its own. */
export interface LoadProcess extends AsyncDisposable {
  trigger(load: Load): Promise<Triggered>
}

export async function startLoadProcess(): Promise<LoadProcess> {
  const child = fork(new URL('./load-client.ts', import.meta.url), {
    serialization: 'advanced',
    execArgv: [],
  })
  await once(child, 'spawn')
  return {
    async trigger(load) {
      child.send(load)
      const [answer] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
        Triggered | number | null,
      ]
      if (answer === null || typeof answer === 'number') throw new Error('The load client ended')
      return answer
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
