import assert from 'node:assert/strict'
import { it } from 'node:test'
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
 * `MUSTER_TEST_MINUTES`. Beside it another account's requests are timed, and its events start their runs. No request
 * waits longer than `MUSTER_TEST_WAIT_MS`, 250, beyond what it waits before.
 */
const minutes = Number(process.env['MUSTER_TEST_MINUTES'] ?? 10)
const longestWaitMs = Number(process.env['MUSTER_TEST_WAIT_MS'] ?? 250)
const seed = Number(process.env['MUSTER_TEST_SEED'] ?? Date.now() % 1e9)
const mostGrowthMb = 200
const idleMs = 5_000

const crew = [{ role: 'clerk', systemPrompt: 's' }]

it(
  'an account whose inputs are as costly as can be makes no other account wait',
  {
    timeout: (minutes * 60 + 300) * 1_000,
  },
  async (t) => {
    t.diagnostic(`seed ${seed}`)
    const dice = createDice(seed)
    await using imap = await startImapServer()
    await using stage = await openScriptedStage({
      answer: (response) => complete(response, 'done'),
      env: { MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8', MUSTER_SECRET_KEY: testSecretKey },
    })
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
    const before = await residentMb(muster.pid)
    await forgetPeak(muster.pid)
    await using watch = watchVictim(muster.url, other)
    await new Promise((resolve) => setTimeout(resolve, idleMs))
    // What the machine does to requests by itself.
    const idle = Math.round(Math.max(...watch.waits.splice(0)))
    const endsAt = Date.now() + minutes * 60_000
    const counts: Record<string, number> = {}
    const statuses = new Set<number>()
    const send = async (): Promise<void> => {
      while (Date.now() < endsAt) {
        const { kind, method, path, type, body } = shot(dice, { workflowId, agentId })
        const answer = await fetch(muster.url + path, {
          method,
          headers: { 'content-type': type, authorization: `Bearer ${own}` },
          body,
        })
        await answer.text()
        statuses.add(answer.status)
        counts[kind] = (counts[kind] ?? 0) + 1
        assert.ok(answer.status < 500 || answer.status === 503, `${kind}: ${answer.status}`)
        if (kind !== 'texts') continue
        const { version } = await hostile.get(`/v1/agents/${agentId}`)
        const diff = await hostile.call('GET', `/v1/agents/${agentId}/versions/${version - 1}/diff`)
        assert.ok(diff.status < 500 || diff.status === 503, `a diff: ${diff.status}`)
      }
    }
    const sendMail = async (): Promise<void> => {
      while (Date.now() < endsAt) {
        imap.messages.splice(0, Math.max(0, imap.messages.length - 5))
        imap.deliver(mail(dice))
        await stage.database.query(`update mailboxes set next_poll_at = now()`)
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
    const sendEvents = async (): Promise<void> => {
      while (Date.now() < endsAt) {
        const { filter, input } = JSON.parse(eventShot(dice, workflowId, agentId))
        const change = { ...(filter && { filter }), ...(input && { input }) }
        await hostile.call('PATCH', `/v1/hooks/${hostileHook.id}`, { body: change })
        await fetch(hostileHook.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: eventBody(dice),
        })
      }
    }
    const live = async (): Promise<void> => {
      while (Date.now() < endsAt) {
        await startsRun(victim, hook)
        await new Promise((resolve) => setTimeout(resolve, 1_000))
      }
    }
    await Promise.all([send(), send(), send(), sendMail(), sendEvents(), live()])
    const waits = watch.waits.toSorted((a, b) => b - a)
    const peak = await peakMb(muster.pid)
    const at = (share: number): number => Math.round(waits[Math.floor(waits.length * share)] ?? 0)
    t.diagnostic(JSON.stringify({ counts, statuses: [...statuses] }))
    t.diagnostic(
      `${waits.length} requests: longest ${at(0)} ms (${idle} ms before), 0.1 % over ${at(0.001)} ms, median ${at(0.5)} ms`,
    )
    t.diagnostic(`memory: ${Math.round(before)} MB before, at most ${Math.round(peak)} MB`)
    assert.deepEqual(watch.failures, [])
    assert.ok(waits.length > minutes * 60, `only ${waits.length} requests were answered`)
    assert.ok(at(0) <= longestWaitMs + idle, `a request waited ${at(0)} ms`)
    assert.ok(
      peak - before < 4 * mostGrowthMb,
      `the process grew by ${Math.round(peak - before)} MB`,
    )
  },
)

/** The body of a preview, whose filter and templates a hook is given. */
function eventShot(
  ...[dice, workflowId, agentId]: [Parameters<typeof shot>[0], string, string]
): string {
  for (;;) {
    const { kind, body } = shot(dice, { workflowId, agentId })
    if (kind === 'event') return body
  }
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
