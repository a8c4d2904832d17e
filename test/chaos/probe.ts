import { setTimeout as delay } from 'node:timers/promises'
import { makeAccounts } from '../../rig/accounts.ts'
import { createWorkflow } from '../../rig/api.ts'
import type { Client } from './client.ts'
import type { Ground, Node } from './ground.ts'
import { agentModel } from './scripted-agent.ts'

/**
 * Measures the recovery from a fault: the time until a new run is accepted and completed. It uses
 * an account of its own, so that it does not wait behind delayed work. A new run is sent every half
 * second, because one that is caught by the end of a fault proves nothing.
 */
export interface Probe {
  /** Milliseconds until the first of the new runs was completed; Infinity if none was in time. */
  time(signal: AbortSignal): Promise<number>
  /** The node of its account, in a cluster. */
  node: Node | undefined
  /** Ids of all accepted runs. */
  accepted: string[]
}

const everyMs = 500
const lookMs = 100
const patienceMs = 60_000
const answerMs = 5_000
/** One of this many accounts is almost certainly on any given node. */
const mostAccounts = 60

/** A probe with its own account; on a cluster, one for each node. */
export async function makeProbes(
  client: Client,
  { url, nodes }: Ground,
  apiUrl: string,
): Promise<[Probe, ...Probe[]]> {
  const make = async (node: Node | undefined, number: number): Promise<Probe> => {
    for (let tries = 0; tries < mostAccounts; tries++) {
      const [account] = await makeAccounts(url, 1)
      if (account === undefined || (await node?.holds(account.id)) === false) continue
      const workflowId = await createWorkflow(apiUrl, agentModel, account.adminKey)
      return makeProbe(client, account.adminKey, workflowId, number * 1_000_000, node)
    }
    throw new Error(`No account came to ${node?.name}`)
  }
  const [first, ...others] = nodes
  const probes: [Probe, ...Probe[]] = [await make(first, 1)]
  for (const node of others) probes.push(await make(node, probes.length + 1))
  return probes
}

function makeProbe(
  client: Client,
  apiKey: string,
  workflowId: string,
  firstNumber: number,
  node: Node | undefined,
): Probe {
  let sent = 0
  const probe: Probe = {
    node,
    accepted: [],
    async time(signal) {
      const over = new AbortController()
      const either = AbortSignal.any([over.signal, signal])
      const beganAt = performance.now()
      const runs: Promise<void>[] = []
      const first = Promise.withResolvers<number>()
      void (async () => {
        while (!either.aborted && performance.now() - beganAt < patienceMs) {
          const run = carryOne(either).then(() => first.resolve(performance.now() - beganAt))
          runs.push(run.catch(() => {}))
          await delay(everyMs)
        }
        first.resolve(Number.POSITIVE_INFINITY)
      })()
      const tookMs = await first.promise
      over.abort()
      await Promise.all(runs)
      signal.throwIfAborted()
      return tookMs
    },
  }
  return probe

  /** Fails if the run is not accepted or not completed. */
  async function carryOne(signal: AbortSignal): Promise<void> {
    // Numbers outside of the load's range.
    const body = { input: `Deal with #${firstNumber + sent++}#.` }
    const options = { apiKey, patienceMs: answerMs }
    const answer = await client.call('POST', `/v1/workflows/${workflowId}/runs`, body, options)
    if (answer?.status !== 202) throw new Error('It was not accepted')
    const id: string = answer.body.data.id
    probe.accepted.push(id)
    for (;;) {
      const look = await client.call('GET', `/v1/runs/${id}`, undefined, options)
      if (look?.status === 200 && look.body.data.status === 'completed') return
      await delay(lookMs, undefined, { signal })
    }
  }
}
