import { Worker } from 'node:worker_threads'

/** How long the requests of another account take, from now until it is disposed. */
export interface Watch extends AsyncDisposable {
  waits: number[]
  failures: number[]
}

export function watchVictim(url: string, key: string): Watch {
  const waits: number[] = []
  const failures: number[] = []
  const worker = new Worker(new URL('./victim.ts', import.meta.url), {
    workerData: { url, key, everyMs: 20 },
  })
  worker.on('message', ({ ms, status }: { ms: number; status: number }) => {
    waits.push(ms)
    if (status !== 200) failures.push(status)
  })
  return {
    waits,
    failures,
    [Symbol.asyncDispose]: async () => {
      await worker.terminate()
    },
  }
}
