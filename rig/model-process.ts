import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Call, Latency } from './model-server.ts'

/** The loopback model server in a process of its own. */
export interface ModelProcess extends AsyncDisposable {
  url: string
  setLatency(latencyMs: number, jitter?: number): void
  /** The calls since the last time, and forgets them. */
  takeCalls(): Promise<Call[]>
  /** Writes a models file with the model `bench`; returns its path. */
  writeModelsFile(folder: string): Promise<string>
}

export async function startModelProcess(latencyMs = 0): Promise<ModelProcess> {
  const child = fork(new URL('./model-server.ts', import.meta.url), {
    serialization: 'advanced',
    execArgv: [],
  })
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  const url = `http://127.0.0.1:${port}`
  const setLatency = (ms: number, jitter = 0): void => {
    child.send({ latencyMs: ms, jitter } satisfies Latency)
  }
  setLatency(latencyMs)
  return {
    url,
    setLatency,
    async takeCalls() {
      const answer = once(child, 'message')
      child.send('calls')
      const [calls] = (await answer) as [Call[]]
      return calls
    },
    async writeModelsFile(folder) {
      const file = join(folder, 'models.json')
      const models = {
        providers: [{ id: 'loopback', base_url: `${url}/v1`, max_concurrency: 10_000 }],
        models: [{ id: 'bench', provider: 'loopback', price_in: 1, price_out: 4 }],
      }
      await writeFile(file, JSON.stringify(models))
      return file
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
