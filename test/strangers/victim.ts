import { parentPort, workerData } from 'node:worker_threads'

/** A client of another account, in a thread of its own: it asks for its workflows all the time, and says how long that took. */
const { url, key, everyMs } = workerData as { url: string; key: string; everyMs: number }

for (;;) {
  const startedAt = performance.now()
  const response = await fetch(`${url}/v1/workflows`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.text()
  const ms = performance.now() - startedAt
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread's port
  parentPort?.postMessage({ ms, status: response.status })
  await new Promise((resolve) => setTimeout(resolve, everyMs))
}
