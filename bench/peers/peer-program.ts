import type { Answer } from '../../rig/child-question.ts'
import { makeInput } from '../../rig/load-process.ts'

/** What a peer has to do, in its own way. Ids of runs are chosen by the benchmark. */
export interface Peer {
  /** Executes a run; returns the last agent's output when it is stored. */
  run(id: string, input: string): Promise<string>
  /** Executes a run until it waits for a person, before the second agent. */
  runToPause(id: string, input: string): Promise<void>
  /** Answers for the person; returns the last agent's output when it is stored. */
  answer(id: string): Promise<string>
  /** Continues the runs of a killed process; resolves when they have ended. */
  recover(): Promise<void>
  /** The stored output of an ended run. */
  readOutput(id: string): Promise<string | undefined>
}

/** Runs with numbers from `firstTag` on, at most `open` at a time. */
export interface PeerTask {
  kind: 'run' | 'pause' | 'answer' | 'check'
  firstTag: number
  count: number
  open: number
}

/** Tasks without parameters. */
interface Bare {
  kind: 'recover' | 'memory'
}

const inputBytes = 2_048
/** The beginning of the model server's answers. */
const expected = 'The plan has three points'

/** Connections to PostgreSQL, as many as Muster's pool has. */
export const poolSize = 10

export function readDatabaseUrl(): string {
  return process.env['DATABASE_URL'] ?? ''
}

/** Answers the benchmark's questions until the process ends. */
export function servePeer(peer: Peer): void {
  process.on('message', (question: { id: number } & (PeerTask | Bare)) => {
    // Answered by the preload.
    if (question.kind === 'memory') return
    const reply = (answer: Omit<Answer, 'id'>): void => {
      process.send?.({ id: question.id, ...answer } satisfies Answer)
    }
    work(peer, question).then(
      (value) => reply({ value }),
      (error: unknown) => reply({ error: String((error as Error)?.stack ?? error) }),
    )
  })
  process.send?.({ id: 0, value: 1 } satisfies Answer)
}

/** Returns how many of the runs have no output, which is an error except for `check`. */
async function work(peer: Peer, task: PeerTask | Bare): Promise<number> {
  if (!('count' in task)) return peer.recover().then(() => 0)
  const { firstTag, count, open } = task
  let next = firstTag
  let lost = 0
  await Promise.all(
    Array.from({ length: Math.min(open, count) }, async () => {
      while (next < firstTag + count) {
        const missing = await workOn(peer, task.kind, next++)
        lost += missing
      }
    }),
  )
  return lost
}

async function workOn(peer: Peer, kind: PeerTask['kind'], tag: number): Promise<number> {
  const id = `run-${tag}`
  const input = makeInput(tag, inputBytes)
  if (kind === 'pause') return peer.runToPause(id, input).then(() => 0)
  const output =
    kind === 'run'
      ? await peer.run(id, input)
      : kind === 'answer'
        ? await peer.answer(id)
        : await peer.readOutput(id)
  if (kind === 'check' && output === undefined) return 1
  if (output?.startsWith(expected) !== true) {
    throw new Error(`${id} ended with ${JSON.stringify(output)} after ${kind}`)
  }
  return 0
}
