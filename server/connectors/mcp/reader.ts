import { extname } from 'node:path'
import Tinypool from 'tinypool'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { readMessage, type ReadMessage } from './message.ts'

/**
 * A message of this size is read in about 2 ms. Larger ones are read in a thread, so that other
 * requests do not wait.
 */
const maxHereCharacters = 128 * 1024
const idleTimeout = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 256 }
let threads: Tinypool | undefined

/** `readMessage`, in a thread where the message is large. Rejects with an `OutboundError`. */
export async function readApart(text: string, signal: AbortSignal): Promise<ReadMessage> {
  if (text.length <= maxHereCharacters) return readMessage(text)
  threads ??= new Tinypool({
    filename: new URL(`./message${extname(import.meta.url)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout,
    resourceLimits,
  })
  try {
    return (await threads.run(text, { name: readMessage.name, signal })) as ReadMessage
  } catch (error) {
    if (signal.aborted) throw new OutboundError('aborted', 'the call has ended', error)
    const why = error instanceof Error ? error.message : 'unknown reason'
    throw new OutboundError('protocol', `its answer cannot be read: ${why}`, error)
  }
}
