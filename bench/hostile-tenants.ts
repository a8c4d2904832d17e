import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { openEmbeddedServer } from '../server/embedded/server.ts'
import { makeAccounts } from '../rig/accounts.ts'
import { createWorkflow } from '../rig/api.ts'
import { forgetPeak, peakMb } from '../rig/memory.ts'
import { percentile, round } from '../rig/measure.ts'
import { setStage, type Stage } from '../rig/stage.ts'
import { figure, type Figure } from './report.ts'

const attackMs = 30_000
/** Under the limit of one key. */
const triggersPerSecond = 8
const targetMs = 100
const targetMb = 1_000

/** What a third account feels of two that ask for all that is heavy at once, under the limits of an installation. */
export async function hostileTenants(): Promise<Figure[]> {
  await using stage = await setStage({ env: { MUSTER_RATE_LIMIT: '600' } })
  const { muster } = stage
  await using server = await openEmbeddedServer({ dataDir: stage.dataDir })
  const [third, ...hostile] = await makeAccounts(server.url, 3)
  if (third === undefined) throw new Error('There is no third account')
  const workflowId = await createWorkflow(muster.url, 'bench', third.adminKey)
  for (const { id } of hostile) await fill(stage, id)

  const trigger = `/v1/workflows/${workflowId}/runs`
  await ask(muster.url, trigger, third.adminKey)
  const alone = await triggerFor(muster.url, trigger, third.adminKey, 5_000)
  await forgetPeak(muster.pid)
  const attackers = fork(import.meta.filename, { execArgv: [] })
  attackers.send({ url: muster.url, keys: hostile.map(({ adminKey }) => adminKey) })
  await delay(2_000)
  const beside = await triggerFor(muster.url, trigger, third.adminKey, attackMs)
  const heard = once(attackers, 'message')
  attackers.send('end')
  const [statuses] = (await heard) as [Record<string, number>]
  const mb = await peakMb(muster.pid)
  await muster.kill()

  const p99 = percentile(beside.tookMs, 0.99)
  const shown = (all: Record<string, number>): string =>
    Object.entries(all)
      .map(([status, count]) => `${count} × ${status}`)
      .join(', ')
  return [
    figure(
      `trigger of a third account beside two hostile ones, p50 / p99 / slowest; p99 without them`,
      `${round(percentile(beside.tookMs, 0.5))} / ${round(p99)} / ${round(percentile(beside.tookMs, 1))} ms; ${round(percentile(alone.tookMs, 0.99))} ms`,
      `p99 < ${targetMs} ms`,
      p99 < targetMs,
    ),
    figure(
      'its answers',
      shown(beside.statuses),
      'all 202',
      Object.keys(beside.statuses).every((status) => status === '202'),
    ),
    figure('most memory of the process', `${round(mb, 0)} MB`, `< ${targetMb} MB`, mb < targetMb),
    figure('answers to the hostile accounts, and to those without a key', shown(statuses)),
  ]
}

/** Lists of 7.5 MB, a page of runs of 25 MB, a run of 4 MB. */
async function fill({ database }: Stage, accountId: string): Promise<void> {
  await database.query(
    `insert into agents (account_id, id, name, category, role, system_prompt, connectors,
                         capabilities, status, memory_enabled)
     select $1, new_id('agt'), 'n', 'c', 'r', repeat('ü', 6000), '{}', '{}', 'active', true
     from generate_series(1, 614)`,
    [accountId],
  )
  await database.query(
    `insert into runs (account_id, id, workflow_id, status, input, output, finished_at)
     select $1, new_id('run'), 'wf_none', 'completed', 'i', repeat('o', 250000), now()
     from generate_series(1, 100)`,
    [accountId],
  )
  await database.query(
    `insert into steps (account_id, run_id, position, id, role, model, output, finished_at)
     select $1, (select min(id) from runs where account_id = $1), place, new_id('step'), 'r', 'm',
            repeat('o', 250000), now()
     from generate_series(0, 9) as place`,
    [accountId],
  )
}

interface Asked {
  tookMs: number[]
  statuses: Record<string, number>
}

/** At a steady pace, whatever the answers take. */
async function triggerFor(url: string, path: string, key: string, ms: number): Promise<Asked> {
  const asked: Asked = { tookMs: [], statuses: {} }
  const underway: Promise<void>[] = []
  for (const endsAt = performance.now() + ms; performance.now() < endsAt;) {
    const began = performance.now()
    underway.push(
      ask(url, path, key).then((status) => {
        asked.tookMs.push(performance.now() - began)
        count(asked.statuses, status)
      }),
    )
    await delay(1_000 / triggersPerSecond)
  }
  await Promise.all(underway)
  return asked
}

const agent = new Agent({ pipelining: 1, connections: 64 })

async function ask(url: string, path: string, key: string): Promise<number> {
  const { statusCode, body } = await request(url + path, {
    dispatcher: agent,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"input":"One."}',
  })
  await body.dump({ limit: Infinity })
  return statusCode
}

function count(statuses: Record<string, number>, status: number | string): void {
  statuses[status] = (statuses[status] ?? 0) + 1
}

/** In a process of its own: everything at once until it is told to end. */
async function attack(url: string, keys: string[]): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  const hosts = new Agent({ pipelining: 1, connections: 1_000 })
  const open = async (path: string, key: string | null) => {
    const answer = await request(url + path, {
      dispatcher: hosts,
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
    })
    count(statuses, answer.statusCode)
    return answer.body
  }
  const repeat = (times: number, path: string, key: string | null): void => {
    for (let number = 0; number < times; number++) {
      void (async () => {
        for (;;) {
          await open(path, key)
            .then((body) => body.dump({ limit: Infinity }))
            .catch(() => count(statuses, 'broken'))
          // One that is refused does not ask in a circle without a pause.
          await delay(20)
        }
      })()
    }
  }
  for (const key of keys) {
    const page = await open('/v1/runs?limit=100', key)
    const runs = (await page.json()) as { data: { id: string }[] }
    const large = runs.data.map(({ id }) => id).sort()[0]
    for (const each of [key, ...(await makeKeys(url, key))]) {
      repeat(1, `/v1/runs/${large}`, each)
      repeat(1, '/v1/agents', each)
      repeat(1, '/v1/runs?limit=100', each)
      repeat(1, '/v1/account', each)
    }
    for (let number = 0; number < 6; number++) trickle(url, key)
  }
  const page = await (await open('/docs/', null)).text()
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '/docs'
  repeat(50, new URL(script, `${url}/docs/`).pathname, null)
  repeat(10, '/openapi.json', null)
  repeat(10, '/metrics', null)
  await once(process, 'message')
  return statuses
}

async function makeKeys(url: string, key: string): Promise<string[]> {
  const keys: string[] = []
  for (let number = 0; number < 20; number++) {
    const { body } = await request(`${url}/v1/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `k${number}`, role: 'viewer' }),
    })
    const answer = (await body.json()) as { data?: { key: string } }
    if (answer.data !== undefined) keys.push(answer.data.key)
  }
  return keys
}

/** A training set that does not go on; again as soon as it is cut off. */
function trickle(url: string, key: string): void {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const drip = setInterval(() => socket.write(' '), 500)
  socket.on('error', () => {})
  socket.once('data', () => socket.destroy())
  socket.once('close', () => {
    clearInterval(drip)
    setTimeout(() => trickle(url, key), 100)
  })
  socket.write(
    `POST /v1/fine-tunes/preview HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      'content-type: application/json\r\ncontent-length: 20000000\r\n\r\n{"name":',
  )
}

if (import.meta.main) {
  process.once('message', ({ url, keys }: { url: string; keys: string[] }) => {
    void attack(url, keys).then((statuses) => process.send?.(statuses, () => process.exit()))
  })
  process.on('disconnect', () => process.exit())
}
