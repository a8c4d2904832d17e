import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A provider of fine-tunes in a process of its own. */
export interface TrainerProcess extends AsyncDisposable {
  url: string
}

export async function startTrainerProcess(): Promise<TrainerProcess> {
  const child = fork(new URL('./trainer-server.ts', import.meta.url), { execArgv: [] })
  const exited = once(child, 'exit')
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await exited
    },
  }
}
