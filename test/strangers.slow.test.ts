import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { makeAccounts } from '../rig/accounts.ts'
import { imapPassword, startImapServer } from '../rig/imap-server.ts'
import { forgetPeak, peakMb, residentMb } from '../rig/memory.ts'
import { until } from '../rig/until.ts'
import { clientOf } from './api-client.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { createDice, eventBody, mail, prose, shot } from './strangers/inputs.ts'
import { watchVictim } from './strangers/watch-victim.ts'
import { complete, testSecretKey } from './test-app.ts'

/**
 * One account sends generated mails, templates, conditions, CSVs, schemas and texts at their limits, for ten minutes or
 * `MUSTER_TEST_MINUTES`: half of them one at a time, where each may make the process grow by 200 MB; then several at
 * once. Beside it another account's requests are timed, and its events start their runs. No request waits longer than
 * 250 ms. `MUSTER_TEST_WAIT_MS` is for a machine on which requests wait longer by themselves, which is said as "before".
 */
const minutes = Number(process.env['MUSTER_TEST_MINUTES'] ?? 10)
const longestWaitMs = Number(process.env['MUSTER_TEST_WAIT_MS'] ?? 250)
const seed = Number(process.env['MUSTER_TEST_SEED'] ?? Date.now() % 1e9)
const mostGrowthMb = 200
/** An account has two threads of each line of the sandbox, so no more of its inputs are worked on at once. */
const mostAtOnce = 4
/** Bodies of an account on their way to threads, and what is left of them until memory is collected. */
const mostInTransitMb = 256
const idleMs = 5_000
const halfMs = (minutes * 60_000) / 2
const timeout = halfMs + 300_000

const crew = [{ role: 'clerk', systemPrompt: 's' }]

it('an input makes no other account wait, and the process grow little', { timeout }, async (t) => {
  await using scene = await openScene(t)
  const { muster, watch, counts } = scene
  const ways = [scene.send, scene.send, scene.send, scene.send, scene.sendMail, scene.sendEvent]
  const grown: { kind: string; mb: number; waitMs: number }[] = []
  for (const endsAt = Date.now() + halfMs; Date.now() < endsAt;) {
    const way = ways[scene.dice(ways.length)] ?? scene.send
    const before = await residentMb(muster.pid)
    await forgetPeak(muster.pid)
    const from = watch.waits.length
    const kind = await way()
    const mb = Math.round((await peakMb(muster.pid)) - before)
    const waitMs = Math.round(Math.max(0, ...watch.waits.slice(from)))
    grown.push({ kind, mb, waitMs })
  }
  const most = Object.keys(counts).map((kind) => {
    const own = grown.filter((one) => one.kind === kind)
    const mb = Math.max(...own.map((one) => one.mb))
    return [kind, { mb, waitMs: Math.max(...own.map((one) => one.waitMs)) }]
  })
  t.diagnostic(`at most: ${JSON.stringify(Object.fromEntries(most))}`)
  assert.deepEqual(
    grown.filter(({ mb }) => mb > mostGrowthMb),
    [],
  )
  scene.assertNoWait()
})

it('several inputs at once make no other account wait', { timeout }, async (t) => {
  await using scene = await openScene(t)
  const { muster, victim } = scene
  const before = await residentMb(muster.pid)
  await forgetPeak(muster.pid)
  const endsAt = Date.now() + halfMs
  const repeat = async (work: () => Promise<unknown>, pauseMs = 0): Promise<void> => {
    while (Date.now() < endsAt) {
      await work()
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  await Promise.all([
    ...Array.from({ length: 3 }, () => repeat(scene.send)),
    repeat(scene.sendMail),
    repeat(scene.sendEvent),
    repeat(() => startsRun(victim, scene.hook), 1_000),
  ])
  const peak = await peakMb(muster.pid)
  t.diagnostic(`memory: ${Math.round(before)} MB before, at most ${Math.round(peak)} MB`)
  const grownMb = Math.round(peak - before)
  scene.assertNoWait()
  const mostMb = mostAtOnce * mostGrowthMb + mostInTransitMb
  assert.ok(grownMb <= mostMb, `the process grew by ${grownMb} MB`)
})

/** A service with two accounts, of which one sends what is costly, and the other one is watched. */
async function openScene(t: TestContext) {
  t.diagnostic(`seed ${seed}`)
  await using stack = new AsyncDisposableStack()
  const dice = createDice(seed)
  const imap = stack.use(await startImapServer())
  const stage = stack.use(
    await openScriptedStage({
      answer: (response) => complete(response, 'done'),
      env: { MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8', MUSTER_SECRET_KEY: testSecretKey },
    }),
  )
  const muster = await stage.start('all')
  const accounts = await makeAccounts(stage.databaseUrl, 2)
  const [own = '', other = ''] = accounts.map(({ adminKey }) => adminKey)
  const victim = clientOf(() => muster.url, other)
  const hostile = clientOf(() => muster.url, own)
  const workflowId = await hostile.createWorkflow({ model: 'bench', crew })
  const { id: agentId } = await hostile.post('/v1/agents', {
    name: 'a',
    role: 'a',
    systemPrompt: prose(dice, 7_900),
  })
  const hook = await victim.post('/v1/hooks', {
    workflow_id: await victim.createWorkflow({ model: 'bench', crew }),
    scheme: 'none',
    input: '{% for one in body.list %}{{ one }} {% endfor %}',
  })
  const hostileHook = await hostile.post('/v1/hooks', { workflow_id: workflowId, scheme: 'none' })
  await hostile.post('/v1/mailboxes', {
    name: 'Desk',
    host: '127.0.0.1',
    port: imap.port,
    secure: 'none',
    username: 'desk@example.com',
    password: imapPassword,
    workflow_id: workflowId,
  })
  // Threads and caches of ordinary work are there before memory is compared.
  await startsRun(victim, hook)
  const watch = stack.use(watchVictim(muster.url, other))
  await new Promise((resolve) => setTimeout(resolve, idleMs))
  // What the machine does to requests by itself.
  const idle = Math.round(Math.max(...watch.waits.splice(0)))
  const startedAt = Date.now()
  const counts: Record<string, number> = {}
  const statuses = new Set<number>()
  const count = (kind: string): string => {
    counts[kind] = (counts[kind] ?? 0) + 1
    return kind
  }
  const scene = stack.move()
  return {
    dice,
    muster,
    victim,
    hook,
    watch,
    counts,
    /** Sends a request; returns its kind, as the others do. */
    send: async (): Promise<string> => {
      const { kind, method, path, type, body } = shot(dice, { workflowId, agentId })
      const answer = await fetch(muster.url + path, {
        method,
        headers: { 'content-type': type, authorization: `Bearer ${own}` },
        body,
      })
      await answer.text()
      statuses.add(answer.status)
      assert.ok(answer.status < 500 || answer.status === 503, `${kind}: ${answer.status}`)
      if (kind === 'texts') {
        const { version } = await hostile.get(`/v1/agents/${agentId}`)
        const diff = await hostile.call('GET', `/v1/agents/${agentId}/versions/${version - 1}/diff`)
        assert.ok(diff.status < 500 || diff.status === 503, `a diff: ${diff.status}`)
      }
      return count(kind)
    },
    /** Until the mailbox has been read. */
    sendMail: async (): Promise<string> => {
      imap.messages.splice(0, Math.max(0, imap.messages.length - 1))
      imap.deliver(mail(dice))
      await stage.database.query(`update mailboxes set next_poll_at = now()`)
      await until('the mailbox is read', 120_000, async () => {
        const rows = await stage.database.query(
          `select from mailboxes where claimed_until is null and next_poll_at > now()`,
        )
        return rows.length === 1
      })
      return count('mail')
    },
    sendEvent: async (): Promise<string> => {
      const { filter, input } = JSON.parse(eventShot(dice, workflowId, agentId))
      const change = { ...(filter && { filter }), ...(input && { input }) }
      await hostile.call('PATCH', `/v1/hooks/${hostileHook.id}`, { body: change })
      await fetch(hostileHook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: eventBody(dice),
      })
      return count('stored event')
    },
    assertNoWait: (): void => {
      const waits = watch.waits.toSorted((a, b) => b - a)
      const at = (share: number): number => Math.round(waits[Math.floor(waits.length * share)] ?? 0)
      t.diagnostic(JSON.stringify({ counts, statuses: [...statuses] }))
      t.diagnostic(
        `${waits.length} requests: longest ${at(0)} ms (${idle} ms before), 0.1 % over ${at(0.001)} ms, median ${at(0.5)} ms`,
      )
      assert.deepEqual(watch.failures, [])
      const seconds = (Date.now() - startedAt) / 1_000
      assert.ok(waits.length > seconds, `only ${waits.length} requests were answered`)
      assert.ok(at(0) <= longestWaitMs, `a request waited ${at(0)} ms`)
    },
    [Symbol.asyncDispose]: () => scene.disposeAsync(),
  }
}

/** The body of a preview, whose filter and templates a hook is given. */
function eventShot(
  ...[dice, workflowId, agentId]: [Parameters<typeof shot>[0], string, string]
): string {
  for (let tries = 0; tries < 1_000; tries++) {
    const { kind, body } = shot(dice, { workflowId, agentId })
    if (kind === 'event') return body
  }
  throw new Error('Cannot make an event: 1,000 shots were of other kinds')
}

/** Sends an event of the other account, whose template needs a thread; it starts its run. */
async function startsRun(
  victim: ReturnType<typeof clientOf>,
  hook: { id: string; url: string },
): Promise<void> {
  const sent = await fetch(hook.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ list: ['a', 'b'], at: performance.now() }),
  })
  const { data } = (await sent.json()) as { data: { id: string } }
  await until('an event of the other account is routed', 20_000, async () => {
    const { status, why } = await victim.get(`/v1/hooks/${hook.id}/deliveries/${data.id}`)
    assert.notEqual(status, 'failed', String(why))
    return status === 'started'
  })
}
