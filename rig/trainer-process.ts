import { fork } from 'node:child_process'
import { once } from 'node:events'
import { endChild } from './end-child.ts'
import { startTrainer } from './trainer.ts'

/** A provider of fine-tunes in a process of its own: it takes files and jobs, and says of every job that it runs. */
export interface TrainerProcess extends AsyncDisposable {
  url: string
}

export async function startTrainerProcess(): Promise<TrainerProcess> {
  const child = fork(import.meta.filename, { execArgv: [] })
  const [url] = (await once(child, 'message')) as [string]
  return { url, [Symbol.asyncDispose]: () => endChild(child) }
}

if (import.meta.main) {
  const trainer = await startTrainer('openai')
  trainer.intervene = (call) => {
    const id = /^GET .*\/jobs\/(.+)$/.exec(call)?.[1]
    return id === undefined ? undefined : { status: 200, body: { id, status: 'running' } }
  }
  process.on('disconnect', () => process.exit())
  process.send?.(trainer.url)
}
