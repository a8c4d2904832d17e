import type { Socket } from 'node:net'
import type { TransportOptions } from './guarded-transport.ts'
import { createGuardedConnect } from './guarded-connect.ts'
import type { Lookup } from './lookup.ts'
import type { Target } from './reach.ts'

export interface SocketTarget {
  /** A name or an address, as a user wrote it. */
  hostname: string
  port: number
  /** Ports that public hosts may be reached on. */
  allowedPorts: readonly number[]
}

/** Opens a plain socket under the rules of every outbound call. */
export function connectChecked(
  { hostname: written, port, allowedPorts }: SocketTarget,
  options: TransportOptions & { lookup: Lookup },
): Promise<Socket> {
  const hostname = written.toLowerCase()
  const target: Target = { hostname, port, defaultPort: allowedPorts[0] ?? port }
  const connect = createGuardedConnect(target, {
    ...options,
    allowedPorts,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
  })
  return new Promise((resolve, reject) => {
    connect(
      { hostname, host: hostname, protocol: 'http:', port: String(port) },
      (error, socket) => {
        if (error === null) resolve(socket)
        else reject(error)
      },
    )
  })
}
