import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../errors.ts'
import type { Limits } from '../../limits.ts'
import { actionOf } from '../request.ts'
import { TextParts, writeParts } from './text-parts.ts'

/**
 * Large responses: lists and whole runs, which may have megabytes. Only a few are read and
 * serialized at a time, not all of them for one account, and in small steps, so that other requests
 * run in between. An account waits while its clients still have much to read, and is refused while
 * it has had more than a minute's worth of bytes.
 */
export class LargeAnswers {
  readonly #limits: Pick<Limits, 'answerBytes' | 'largeAnswers' | 'unreadAnswers'>

  constructor(limits: Pick<Limits, 'answerBytes' | 'largeAnswers' | 'unreadAnswers'>) {
    this.#limits = limits
  }

  /** Reads and serializes a whole response. */
  async make<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    const check = (): void => this.check(request.ctx.accountId, actionOf(request))
    check()
    using _slot = await this.#limits.largeAnswers.take(request.ctx.accountId, actionOf(request))
    // Checked again one turn later, because hundreds of requests may have waited, and those before
    // this one are counted by then.
    await turn()
    check()
    return await work()
  }

  /** Throws if an account has had too many bytes. */
  check(accountId: string, action: string): void {
    const { answerBytes } = this.#limits
    const { allowed, resetSeconds } = answerBytes.take(accountId, performance.now(), 0)
    if (allowed) return
    const why = `the account's answers had more than ${answerBytes.perMinute} bytes in a minute`
    throw new DomainError('rate_limited', `Cannot ${action}: ${why}`, {
      retryAfterSeconds: resetSeconds,
    })
  }

  /** Reads a part of a response that has started, and so can no longer be refused. */
  async read<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    const { accountId } = request.ctx
    const patience = { waitMs: 30_000 }
    using _slot = await this.#limits.largeAnswers.take(accountId, actionOf(request), patience)
    return await work()
  }

  /** Counts a response that is about to be sent. */
  count(accountId: string, reply: FastifyReply, payload: unknown): void {
    const { raw } = reply
    if (payload instanceof Readable && !(payload instanceof TextParts)) {
      const { socket } = reply.request.raw
      const before = socket.bytesWritten
      raw.once('close', () => this.#charge(accountId, socket.bytesWritten - before))
      return
    }
    const bytes = bytesOf(payload)
    this.#charge(accountId, bytes)
    if (bytes < smallBytes || raw.destroyed) return
    const unread = this.#limits.unreadAnswers.open(accountId)
    unread.add(bytes)
    raw.once('close', () => {
      unread[Symbol.dispose]()
      this.#limits.largeAnswers.admit()
    })
  }

  #charge(accountId: string, bytes: number): void {
    this.#limits.answerBytes.charge(accountId, performance.now(), bytes)
  }
}

/** Such a response fits the buffers of its connection. */
const smallBytes = 64 * 1024
/** The text of `{data: items}`. */
export async function writeList(reply: FastifyReply, items: unknown[]): Promise<Buffer[]> {
  return writeParts(textsOfList(reply, items))
}

function* textsOfList(reply: FastifyReply, items: unknown[]): Generator<string> {
  // If the list has other formats as well, the serializer depends on the type.
  const ofJson = reply.getSerializationFunction(String(reply.statusCode), 'application/json')
  const serialize = ofJson ?? ((data: object) => reply.serialize(data) as string)
  yield '{"data":['
  for (const [place, item] of items.entries()) {
    const text = serialize({ data: [item] })
    yield `${place === 0 ? '' : ','}${text.slice(9, -2)}`
  }
  yield ']}'
}

function bytesOf(payload: unknown): number {
  if (payload instanceof TextParts) return payload.bytes
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
}
