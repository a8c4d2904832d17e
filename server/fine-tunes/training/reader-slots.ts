import { DomainError } from '../../errors.ts'

/**
 * Training sets are read a few at a time, of which no account gets all. Who comes later waits in
 * line, before the body is read, so that what waits takes no memory.
 */
const maxReaders = 4
const maxReadersPerAccount = 2
const maxWaiting = 100
const maxWaitMs = 30_000

interface Waiting {
  accountId: string
  enter: () => void
}

const active: string[] = []
const waiting: Waiting[] = []

/** A slot until it is disposed. */
export async function takeReaderSlot(accountId: string, action: string): Promise<Disposable> {
  if (waiting.length >= maxWaiting) throw tooMany(action)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const own: Waiting = { accountId, enter: resolve }
  const timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(own), 1)
    reject(tooMany(action))
  }, maxWaitMs)
  waiting.push(own)
  admit()
  await promise.finally(() => clearTimeout(timer))
  return {
    [Symbol.dispose]: () => {
      active.splice(active.indexOf(accountId), 1)
      admit()
    },
  }
}

/** Lets in those who may, in their order. */
function admit(): void {
  for (const one of waiting.slice()) {
    if (active.length >= maxReaders) return
    if (active.filter((id) => id === one.accountId).length >= maxReadersPerAccount) continue
    waiting.splice(waiting.indexOf(one), 1)
    active.push(one.accountId)
    one.enter()
  }
}

function tooMany(action: string): DomainError {
  return new DomainError(
    'too_many_uploads',
    `Cannot ${action}: as many training sets are being read as may be, try again`,
    { retryAfterSeconds: 5 },
  )
}
