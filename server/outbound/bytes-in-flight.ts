import { Tally } from '../slots.ts'
import { OutboundError } from './outbound-error.ts'

/**
 * Bytes of responses that are being read, by account and in the whole process: clients that hold
 * many responses open just before their end must not fill the memory. The first bytes of each
 * response are free, so that small ones never fail because of large ones.
 */
export interface BytesInFlight {
  /** For one response; disposed when it is over. */
  open(accountId: string): Disposable & { add(bytes: number): void }
}

export interface InFlightLimits {
  free: number
  perAccount: number
  all: number
}

const MiB = 1024 * 1024
const defaultLimits = { free: 64 * 1024, perAccount: 16 * MiB, all: 96 * MiB }

export function countBytesInFlight(limits: InFlightLimits = defaultLimits): BytesInFlight {
  const held = new Tally()
  return {
    open(accountId) {
      let size = 0
      const counted = (): number => Math.max(0, size - limits.free)
      return {
        add(bytes) {
          const before = counted()
          size += bytes
          held.add(accountId, counted() - before)
          if (counted() === before) return
          if (held.of(accountId) > limits.perAccount)
            throw tooMuch('the account', limits.perAccount)
          if (held.total > limits.all) throw tooMuch('all accounts', limits.all)
        },
        [Symbol.dispose]() {
          held.add(accountId, -counted())
          size = 0
        },
      }
    },
  }
}

function tooMuch(whose: string, limit: number): OutboundError {
  const why = `answers that are under way for ${whose} have more than ${limit / MiB} MiB together`
  return new OutboundError('too_large', `${why}; try again later`)
}
