import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../rig/until.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { complete, testSecretKey } from './test-app.ts'

interface Fire {
  eventsPerSecond: number
  seconds: number
}

const settleMs = 180_000

/**
 * Sends events at a rate, a third of them twice, and kills the worker and the API meanwhile. Like
 * GitHub and Stripe, senders repeat unanswered events. In the end each event has one delivery and
 * one run.
 */
export async function sendUnderFire({ eventsPerSecond, seconds }: Fire): Promise<void> {
  await using stage = await openScriptedStage({
    answer: (response) => complete(response, 'done'),
    env: { MUSTER_LEASE_SECONDS: '1', MUSTER_RATE_LIMIT: '0', MUSTER_SECRET_KEY: testSecretKey },
  })
  const { database } = stage
  let api = await stage.start('api')
  const worker = await stage.start('worker')
  const workflow_id = await stage.createWorkflow({
    model: 'bench',
    crew: [{ role: 'r', systemPrompt: 's' }],
  })
  const hook = await stage.post('/v1/hooks', {
    workflow_id,
    scheme: 'none',
    event_id_header: 'x-id',
    input: '{{ body.event }}',
  })
  const path = new URL(hook.url).pathname
  let [accepted, repeated, lost] = [0, 0, 0]

  const send = async (event: number): Promise<void> => {
    for (;;) {
      try {
        const answer = await fetch(`${api.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-id': `evt-${event}` },
          body: JSON.stringify({ event: `e${event}` }),
          signal: AbortSignal.timeout(20_000),
        })
        const { data } = (await answer.json()) as { data?: { status: string } }
        if (answer.status === 202) {
          if (data?.status === 'repeated') repeated += 1
          else accepted += 1
          return
        }
      } catch {
        // As below: the process has died, or has not started yet.
      }
      lost += 1
      await delay(200)
    }
  }

  const total = eventsPerSecond * seconds
  const sending: Promise<void>[] = []
  const startedAt = performance.now()
  let events = 0
  let killing: Promise<void> | undefined
  for (let sent = 0; sent < total; sent++) {
    // Every third event repeats a recent one.
    const isAgain = sent % 3 === 2
    sending.push(send(isAgain ? Math.max(0, events - 1 - (sent % 50)) : events++))
    if (sent === Math.floor(total / 2)) {
      killing = (async () => {
        await Promise.all([worker.kill(), api.kill()])
        api = await stage.start('api')
        await stage.start('worker')
      })()
    }
    const dueMs = startedAt + ((sent + 1) * 1_000) / eventsPerSecond
    if (dueMs > performance.now()) await delay(dueMs - performance.now())
  }
  await killing
  await Promise.all(sending)
  await until('all deliveries have settled', settleMs, async () => {
    // Claims of the dead worker, and some of a live one, which are then processed twice.
    await database.query(`
      update hook_deliveries set next_try_at = now()
      where ctid = any(array(
        select ctid from hook_deliveries where status = 'pending' limit 100 for update skip locked))`)
    const [row] = await database.query<{ open: number }>(
      `select count(*)::int as open from hook_deliveries where status = 'pending'`,
    )
    return row?.open === 0
  })
  const [runs] = await database.query<{ count: number; different: number }>(
    `select count(*)::int as count, count(distinct input)::int as different
     from runs where triggered_by = '${hook.id}'`,
  )
  assert.deepEqual(runs, { count: events, different: events }, 'each event has one run')
  const [seen] = await database.query<{ count: number }>(
    `select count(*)::int as count from hook_events`,
  )
  assert.equal(seen?.count, events)
  assert.ok(lost > 0, 'some requests met no process')
  assert.ok(repeated > 0 && accepted <= events)
  await until('all runs have ended', settleMs, async () => {
    const [row] = await database.query<{ open: number }>(
      `select count(*)::int as open from runs where status <> 'completed'`,
    )
    return row?.open === 0
  })
}
