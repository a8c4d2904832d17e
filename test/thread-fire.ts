import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { clerk, startMcpSink } from '../rig/mcp-sink.ts'
import type { MusterProcess } from '../rig/muster-process.ts'
import { until } from '../rig/until.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { callTools, complete, testSecretKey, type ChatRequest } from './test-app.ts'

export interface ThreadFire {
  threads: number
  messages: number
  /** Random kills of processes, of which there are two. */
  kills: number
  killEveryMs: number
}

const senders = 5
/** Every third turn asks for an approval. */
const asks = (number: number): boolean => number % 3 === 0
const isUnknown = (prompt: string): boolean => prompt.startsWith('It is unknown')

interface Waiting {
  run_id: string
  pending: { id: string; prompt: string }
}

/**
 * Five senders write to each thread, a third of the turns wait for an approval, and both processes are killed at random.
 * In the end each message was answered once, by one run, in order and one at a time, and each approved action was done
 * at most once.
 */
export async function writeUnderFire(fire: ThreadFire): Promise<void> {
  await using sink = await startMcpSink()
  await using stage = await openScriptedStage({
    answer: (response, { body }) => {
      const { messages } = JSON.parse(body) as ChatRequest
      const [, number = '0'] = /#(\d+)#[^#]*$/.exec(messages[1]?.content ?? '') ?? []
      if (messages.at(-1)?.role === 'tool' || !asks(Number(number)))
        complete(response, `done ${number}`)
      else callTools(response, [{ name: 'sink__write', arguments: { text: number } }])
    },
    env: {
      MUSTER_SECRET_KEY: testSecretKey,
      MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
      MUSTER_LEASE_SECONDS: '1',
      MUSTER_RATE_LIMIT: '0',
    },
  })
  const { database } = stage
  const up: (MusterProcess | undefined)[] = [await stage.start('all'), await stage.start('all')]
  await stage.put('/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: ['read'] })
  const agentId = await stage.createAgent({ ...clerk, capabilities: ['sink.write'] })
  const workflow_id = await stage.createWorkflow({
    model: 'bench',
    crew: [{ role: 'clerk', systemPrompt: 'act', agentId }],
    human_in_the_loop: { enabled: true },
    thread: { context: 'last_output' },
  })
  const threads: string[] = []
  for (let at = 0; at < fire.threads; at++) {
    threads.push((await stage.post('/v1/threads', { workflow_id, key: `thread ${at}` })).id)
  }

  /** Sends until a process answers; the message is the same for each repeat. */
  const send = async (thread: string, number: number): Promise<void> => {
    for (;;) {
      const request = {
        body: { input: `#${number}# go` },
        headers: { 'idempotency-key': `message ${number}` },
      }
      const path = `/v1/threads/${thread}/messages`
      const status = await stage.call('POST', path, request).then(
        (answer) => answer.status,
        () => 0,
      )
      if (status === 202) return
      await delay(status === 409 ? 200 : 100)
    }
  }
  const numbers = Array.from({ length: fire.threads * fire.messages }, (_, number) => number)
  const left = numbers.values()
  const sending = Promise.all(
    Array.from({ length: senders * Math.min(fire.threads, 8) }, async () => {
      for (const number of left) await send(threads[number % fire.threads] ?? '', number)
    }),
  )

  const stopping = new AbortController()
  const answer = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const found = await stage.call('GET', '/v1/pending?limit=20').catch(() => undefined)
      const waiting = (found?.status === 200 ? found.body.data : []) as Waiting[]
      for (const { run_id: id, pending } of waiting) {
        const action = isUnknown(pending.prompt) ? 'reject' : 'approve'
        const body = { action, pending_id: pending.id }
        // Two clicks at once.
        const click = () => stage.call('POST', `/v1/runs/${id}/respond`, { body }).catch(() => {})
        await Promise.all([click(), click()])
      }
      if (waiting.length === 0) await delay(50)
    }
  }
  const people = Promise.all([answer(), answer()])

  for (let kills = 0; kills < fire.kills; kills++) {
    await delay(fire.killEveryMs * (0.5 + Math.random()))
    const victim = Math.floor(Math.random() * up.length)
    await up[victim]?.kill()
    up[victim] = await stage.start('all')
  }
  await sending
  await until(
    'every message has ended',
    300_000,
    async () => {
      const open = await database.query(
        `select from thread_messages where status in ('queued', 'running') limit 1`,
      )
      return open.length === 0
    },
    200,
  )
  stopping.abort()
  await people

  const [rows] = await database.query<Record<string, number>>(`
    select count(*) filter (where role = 'user')::int as messages,
           count(distinct text) filter (where role = 'user')::int as different,
           count(*) filter (where role = 'user' and status = 'answered')::int as answered,
           count(*) filter (where role = 'assistant')::int as answers,
           (select count(*)::int from runs where thread_id is not null) as runs
    from thread_messages`)
  const { length: total } = numbers
  assert.deepEqual(rows, {
    messages: total,
    different: total,
    answered: total,
    answers: total,
    runs: total,
  })
  const [wrong] = await database.query<Record<string, number>>(`
    select count(*) filter (where next.started_at < run.finished_at)::int as overlapping,
           count(*) filter (where run.input <> message.text)::int as exchanged
    from thread_messages as message
    join runs as run on run.id = message.run_id
    left join runs as next on next.thread_id = run.thread_id and next.turn = run.turn + 1
    where message.role = 'user'`)
  assert.deepEqual(wrong, { overlapping: 0, exchanged: 0 }, 'turns are in order, one at a time')
  const written = sink.calls.map(({ input }) => String(input['text']))
  assert.equal(new Set(written).size, written.length, 'no action is done twice')
  const asked = numbers.filter(asks).length
  assert.ok(written.length <= asked && written.length >= asked - fire.kills * 50)
}
