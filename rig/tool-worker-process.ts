import { Muster } from '../sdk/index.ts'

/**
 * A worker of callers' tools in a process of its own, for tests that kill it. Each call is written
 * to its parent before it is executed: who has it, when, and when it is done.
 */
const [baseUrls = '', apiKey = ''] = process.argv.slice(2)
const urls = baseUrls.split(',')

/** The next service process answers where one is killed. */
let turn = 0
const muster = new Muster({
  apiKey,
  baseUrl: 'http://muster.invalid',
  fetch: (url, init) => {
    const { pathname, search } = new URL(url as string)
    return fetch(`${urls[turn % urls.length]}${pathname}${search}`, init).catch(
      (error: unknown) => {
        turn++
        throw error
      },
    )
  },
})

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
const tell = (what: string, callId: string): void => void process.send?.({ what, callId })

const work = (input: { ms: number; text: string }, callId: string) => {
  tell('begun', callId)
  return new Promise<string>((resolve) => {
    setTimeout(() => {
      tell('done', callId)
      resolve(`did ${input.text}`)
    }, input.ms)
  })
}

await muster.tools.serve(
  {
    read: (input, { callId }) => work(input, callId),
    write: (input, { callId }) => work(input, callId),
  },
  { concurrency: 50, leaseSeconds: 5, signal: stop.signal },
)
process.disconnect?.()
