import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'

/**
 * Several clients that answer pending requests independently: the same request is answered by more
 * than one, in different ways, and long after it was decided.
 */
export interface People extends AsyncDisposable {
  /** Answers that took effect, with a 202. */
  accepted: { runId: string; pendingId: string; action: string }[]
  /** Answers that were too late. */
  refused: number
  flaws: string[]
}

interface Waiting {
  run_id: string
  pending: { id: string; kind: 'input' | 'approval'; prompt: string; tool_input?: { text: string } }
}

const clients = 4
const pauseMs = 250
const answersPerLook = 20
const staleShare = 0.15

export function startPeople(client: Client): People {
  const stopping = new AbortController()
  const answered: Waiting[] = []
  const people = {
    accepted: [] as People['accepted'],
    refused: 0,
    flaws: [] as string[],
  }
  const work = Promise.all(Array.from({ length: clients }, beOne))
  return Object.assign(people, {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await work
    },
  })

  async function beOne(): Promise<void> {
    while (!stopping.signal.aborted) {
      const list = await client.call('GET', '/v1/pending?limit=100')
      const waiting = list?.status === 200 ? (list.body.data as Waiting[]) : []
      for (const one of waiting.sort(() => Math.random() - 0.5).slice(0, answersPerLook)) {
        await answer(one)
        const old = answered[Math.floor(answered.length * Math.random())]
        if (old !== undefined && Math.random() < staleShare) await answer(old)
      }
      await delay(pauseMs * (0.5 + Math.random()))
    }
  }

  async function answer(one: Waiting): Promise<void> {
    const { run_id: runId, pending } = one
    const body = { pending_id: pending.id, ...decide(pending) }
    const idempotencyKey = Math.random() < 0.2 ? randomUUID() : undefined
    const reply = await client.call('POST', `/v1/runs/${runId}/respond`, body, { idempotencyKey })
    if (reply === undefined || reply.isPutOff) return
    if (reply.status === 202) {
      people.accepted.push({ runId, pendingId: pending.id, action: body.action })
      answered.push(one)
    } else if (reply.status === 409) people.refused++
    else people.flaws.push(`an answer to ${pending.id} was answered ${reply.status}`)
  }
}

function decide({ kind, prompt, tool_input }: Waiting['pending']): { action: string } {
  if (kind === 'input') return { action: 'input', input: 'It went well.' } as { action: string }
  const chance = Math.random()
  if (chance < 0.25) return { action: 'reject' }
  const isRepeat = prompt.startsWith('It is unknown')
  if (chance > 0.9 && !isRepeat) {
    const edited = { text: `${tool_input?.text}, edited` }
    return { action: 'approve', tool_input: edited } as { action: string }
  }
  return { action: 'approve' }
}
