import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { postmasterPid } from '../rig/bench-database.ts'
import { openEmbeddedServer } from '../server/embedded/server.ts'
import { makeAccounts } from '../rig/accounts.ts'
import { createWorkflow } from '../rig/api.ts'
import { forgetPeak, peakMb } from '../rig/memory.ts'
import { familyCpuMs, percentile, processCpuMs, round } from '../rig/measure.ts'
import { setStage, type Stage } from '../rig/stage.ts'
import { count, startAttack } from './hostile-attack.ts'
import { figure, type Figure } from './report.ts'

const attackMs = 30_000
/** Under the limit of one key. */
const triggersPerSecond = 8
const targetMs = 100
const targetMb = 1_000

/** What a third account feels of two that ask for all that is heavy at once, under the limits of an installation. */
export async function hostileTenants(): Promise<Figure[]> {
  await using stage = await setStage({
    env: { MUSTER_RATE_LIMIT: '600', MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8' },
  })
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
  const attackers = await startAttack(
    muster.url,
    hostile.map(({ adminKey }) => adminKey),
  )
  await delay(2_000)
  const postmaster = await postmasterPid(stage.dataDir)
  const usedMs = (): Promise<number[]> =>
    Promise.all([
      processCpuMs(muster.pid),
      familyCpuMs(postmaster),
      processCpuMs(attackers.pid as number),
    ])
  const before = await usedMs()
  const beside = await triggerFor(muster.url, trigger, third.adminKey, attackMs)
  const used = (await usedMs()).map((ms, place) => (ms - (before[place] ?? 0)) / attackMs)
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
    figure(
      'cores that the service, PostgreSQL and the hostile clients had',
      used.map((cores) => round(cores, 2)).join(' / '),
    ),
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
  await body.dump()
  return statusCode
}
