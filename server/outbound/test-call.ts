import assert from 'node:assert/strict'
import { parseAllowedNetworks } from './address.ts'
import {
  createGuardedTransport,
  type GuardedTransport,
  type OutboundRequest,
  type OutboundResponse,
  type TransportOptions,
} from './guarded-transport.ts'
import { OutboundError, type OutboundErrorKind } from './outbound-error.ts'
import type { Receiver } from '../../rig/receiver.ts'

// A time-out that never fires, and one that is short enough to wait for.
const long = 60_000
export const short = 100

/** For tests only: a transport that resolves every name to this machine. */
export function open(options: Partial<TransportOptions> = {}): GuardedTransport {
  return createGuardedTransport({
    allowedNetworks: parseAllowedNetworks('127.0.0.0/8'),
    lookup: async () => ['127.0.0.1'],
    ...options,
  })
}

export function call(
  transport: GuardedTransport,
  receiver: Receiver,
  options: Partial<OutboundRequest> & { path?: string; scheme?: string } = {},
): Promise<OutboundResponse> {
  const { path = '/', scheme = 'http', ...rest } = options
  return transport.request(`${scheme}://receiver.test:${receiver.port}${path}`, {
    method: 'GET',
    timeoutMs: long,
    maxResponseBytes: 1000,
    allowHttp: true,
    ...rest,
  })
}

export function fails(
  kind: OutboundErrorKind,
  message: RegExp,
  status?: number,
): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof OutboundError, String(error))
    assert.equal(error.kind, kind, `${error.kind}: ${error.message}`)
    assert.match(error.message, message)
    assert.equal(error.status, status)
    assert.doesNotMatch(error.message, /secret/)
    return true
  }
}
