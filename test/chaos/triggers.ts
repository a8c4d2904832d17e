import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { Workflows } from './workload.ts'

/** Clients that trigger runs, each with an `Idempotency-Key`, and retry until they are accepted. */
export interface Triggers extends AsyncDisposable {
  /** Ids of accepted runs, by the number in their input. */
  accepted: Map<number, string>
  /** Errors in the responses. */
  flaws: string[]
  /** Triggers that were not accepted in time. */
  refused: number
  triggered: number
  start: (count: number) => void
  /** Waits for those in progress. */
  settle(): Promise<void>
}

const patienceMs = 4 * 60_000
const pauseMs = 300
const repeats = 0.1
const cancels = 0.03

export function createTriggers(client: Client, workflows: Workflows): Triggers {
  const underWay = new Set<Promise<void>>()
  const stopping = new AbortController()
  const triggers: Triggers = {
    accepted: new Map(),
    flaws: [],
    refused: 0,
    triggered: 0,
    start: (count) => {
      for (let n = 0; n < count; n++) {
        const one = trigger(triggers.triggered++).finally(() => underWay.delete(one))
        underWay.add(one)
      }
    },
    async settle() {
      await Promise.all(underWay)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(underWay)
    },
  }
  return triggers

  async function trigger(number: number): Promise<void> {
    const path = `/v1/workflows/${workflowOf(number)}/runs`
    const body = { input: `Deal with #${number}#.` }
    const idempotencyKey = randomUUID()
    const deadline = performance.now() + patienceMs
    while (!stopping.signal.aborted && performance.now() < deadline) {
      const answer = await client.call('POST', path, body, { idempotencyKey })
      if (answer?.status === 202) {
        accept(number, answer.body.data.id)
        if (Math.random() < repeats) continue
        if (Math.random() < cancels) await cancel(answer.body.data.id)
        return
      }
      if (answer !== undefined && !answer.isPutOff && answer.status !== 409) {
        triggers.flaws.push(`trigger ${number} was answered ${answer.status}`)
      }
      await delay(pauseMs * (1 + Math.random()))
    }
    if (!triggers.accepted.has(number)) triggers.refused++
  }

  function accept(number: number, id: string): void {
    const before = triggers.accepted.get(number)
    if (before === undefined) triggers.accepted.set(number, id)
    else if (before !== id) triggers.flaws.push(`trigger ${number} made ${before} and ${id}`)
  }

  async function cancel(id: string): Promise<void> {
    await delay(5_000 * Math.random())
    await client.call('POST', `/v1/runs/${id}/cancel`)
  }

  function workflowOf(number: number): string {
    const { plain, careful, unattended } = workflows
    return [plain, careful, careful, unattended, plain][number % 5] as string
  }
}
