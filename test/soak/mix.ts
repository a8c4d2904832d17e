import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { adminKey } from '../../rig/muster-process.ts'
import { clientOf, type ApiClient } from '../api-client.ts'

/** What a soak does, again and again until it ends, and how long its requests took. */
export interface Mix {
  /** Milliseconds of the requests since the last call, by kind. */
  takeTimes: () => { trigger: number[]; list: number[] }
  counts: Record<string, number>
}

export interface MixOptions {
  url: string
  client: ApiClient
  /** Receives webhooks. */
  receiverUrl: string
  /** A crew of one step that answers, and one that asks a person first. */
  plainId: string
  askingId: string
  agentId: string
  endsAt: number
  /** Accounts made and erased, and cases answered, until then. */
  accounts: number
  cases: number
}

const file = 'name;amount\n'.repeat(1_000)
/** Half of what a machine of two cores can do, with the model server and this process on it. */
const triggerEveryMs = 25

/** Runs until the end: triggers, events, batches, files, cases, streams, lists, versions, accounts. */
export async function runMix(options: MixOptions, onStart: (mix: Mix) => void): Promise<void> {
  const { url, client, plainId, askingId, agentId, endsAt, accounts, cases } = options
  let times = { trigger: [] as number[], list: [] as number[] }
  const counts: Record<string, number> = {}
  onStart({
    takeTimes: () => {
      const taken = times
      times = { trigger: [], list: [] }
      return taken
    },
    counts,
  })
  const hook = await client.post('/v1/hooks', { workflow_id: plainId, scheme: 'none' })
  const webhook = { url: options.receiverUrl, events: ['run.completed', 'run.waiting_input'] }
  await client.post('/v1/webhooks', webhook)
  const lengthMs = endsAt - Date.now()
  const repeat = async (kind: string, everyMs: number, work: () => Promise<unknown>) => {
    for (let next = Date.now(); Date.now() < endsAt; next += everyMs) {
      await delay(Math.max(0, next - Date.now()))
      await work()
      counts[kind] = (counts[kind] ?? 0) + 1
    }
  }
  const timed = async (kind: 'trigger' | 'list', work: Promise<unknown>): Promise<void> => {
    const start = performance.now()
    await work
    times[kind].push(performance.now() - start)
  }
  const lists = [
    '/v1/runs?limit=50',
    '/v1/runs?status=failed',
    '/v1/pending',
    '/v1/audit',
    '/v1/usage',
    `/v1/workflows/${plainId}`,
    `/v1/hooks/${hook.id}/deliveries`,
    '/v1/runs?q=nightly',
  ]
  let list = 0
  const streamOf = async (path: string): Promise<void> => {
    const headers = { authorization: `Bearer ${adminKey}` }
    const stream = await fetch(url + path, { headers, signal: AbortSignal.timeout(5_000) })
    await stream.body?.getReader().read()
    await stream.body?.cancel().catch(() => {})
  }
  await Promise.all([
    repeat('run', triggerEveryMs, () =>
      timed('trigger', client.trigger(plainId, 'nightly report')),
    ),
    repeat('list', 200, () => timed('list', client.get(lists[list++ % lists.length] ?? ''))),
    repeat('event', 250, async () => {
      const event = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
      assert.equal((await fetch(hook.url, event)).status, 202)
    }),
    repeat('batch', 10_000, () =>
      client.post(`/v1/workflows/${plainId}/batches`, {
        items: Array.from({ length: 20 }, (_, at) => ({ input: `item ${at}` })),
      }),
    ),
    repeat('file', 1_000, async () => {
      const form = new FormData()
      form.append('file', new Blob([file]), 'table.csv')
      const { id } = await client.post('/v1/files', form)
      await client.run(plainId, { input: 'read', files: [id] })
      await client.delete(`/v1/files/${id}`)
    }),
    repeat('case', lengthMs / cases, async () => {
      const { id, status } = await client.run(askingId, 'ask')
      assert.equal(status, 'waiting_input')
      await client.post(`/v1/runs/${id}/respond`, { action: 'input', input: 'yes' })
    }),
    repeat('version', 5_000, () =>
      client.patch(`/v1/agents/${agentId}`, { systemPrompt: `At ${Date.now()}` }),
    ),
    repeat('stream', 500, async () => {
      await streamOf('/v1/events')
      await streamOf(`/v1/runs/${await client.trigger(plainId)}/events`)
    }),
    repeat('account', lengthMs / accounts, async () => {
      const made = await client.post('/v1/operator/accounts', { name: 'short-lived' })
      const own = clientOf(() => url, made.admin_key)
      const workflowId = await own.createWorkflow({
        model: 'bench',
        crew: [{ role: 'clerk', systemPrompt: 's' }],
      })
      await own.run(workflowId, 'once')
      await client.delete(`/v1/operator/accounts/${made.id}`)
    }),
  ])
}
