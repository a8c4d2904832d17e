import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeCertificate } from '../server/outbound/test-certificate.ts'
import type { Arrival, Hooks } from './receiver-server.ts'

/** The loopback receiver of webhooks in a process of its own. */
export interface ReceiverProcess extends AsyncDisposable {
  /** Without a path. */
  url: string
  /** Settings of a Muster that shall reach and trust it. */
  env: Record<string, string>
  addHooks(hooks: Hooks): void
  /** What arrived since the last time, and forgets it. */
  takeArrivals(): Promise<Arrival[]>
  countArrivals(): Promise<number>
}

/** `folder` takes the certificate. */
export async function startReceiverProcess(folder: string): Promise<ReceiverProcess> {
  const { cert, key } = makeCertificate('127.0.0.1')
  const certFile = join(folder, 'receiver.crt')
  await writeFile(certFile, cert)
  await writeFile(join(folder, 'receiver.key'), key)
  const child = fork(new URL('./receiver-server.ts', import.meta.url), [folder], {
    serialization: 'advanced',
    execArgv: [],
  })
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  const ask = async <T>(question: string): Promise<T> => {
    const answer = once(child, 'message')
    child.send(question)
    return ((await answer) as [T])[0]
  }
  return {
    url: `https://127.0.0.1:${port}`,
    env: { NODE_EXTRA_CA_CERTS: certFile, MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8' },
    addHooks: (hooks) => void child.send(hooks),
    takeArrivals: () => ask('arrivals'),
    countArrivals: () => ask('count'),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
