import assert from 'node:assert/strict'
import { it } from 'node:test'
import { imapPassword, startImapServer } from '../../../rig/imap-server.ts'
import { startMuster } from '../../../rig/muster-process.ts'
import { makeScratchFolder } from '../../../rig/scratch-folder.ts'
import { until } from '../../../rig/until.ts'
import { fixture } from '../../../test/fixture.ts'
import { startTestApp } from '../../../test/test-app.ts'

/** 1,000 messages are read while workers are killed (kill -9) and connections break. */
const messages = 1_000
const patienceMs = 240_000
const folder = fixture(makeScratchFolder)
const imap = fixture(startImapServer)
const app = fixture(() => startTestApp({ role: 'api', env: { MUSTER_LEASE_SECONDS: '1' } }))

void it('each message is one run', { timeout: 600_000 }, async () => {
  const workflow_id = await app.createWorkflow({ crew: [{ role: 'clerk', systemPrompt: 's' }] })
  const box = await app.post('/v1/mailboxes', {
    name: 'Support',
    host: '127.0.0.1',
    port: imap.port,
    secure: 'none',
    username: 'support@example.com',
    password: imapPassword,
    workflow_id,
    poll_seconds: 10,
  })
  for (let number = 0; number < messages; number++) {
    const head = [
      `From: a${number}@customer.example`,
      `Subject: n ${number}`,
      `Message-ID: <${number}@c>`,
    ]
    imap.deliver(`${head.join('\r\n')}\r\n\r\nHello\r\n`)
  }
  const counts = async () =>
    app.row`
      select count(*) filter (where status = 'started')::int as started, count(*)::int as seen
      from mailbox_messages where mailbox_id = ${box.id}`
  const start = () => startMuster({ role: 'worker', folder: folder.path, env: app.env })
  for (const [index, share] of [0.2, 0.45, 0.7].entries()) {
    const worker = await start()
    imap.cuts.push(/UID FETCH \d+ \(UID BODY/, /UID STORE/)
    await until(`${share} of the messages`, patienceMs, async () => {
      await app.sql`update mailboxes set next_poll_at = now() where next_poll_at > now() + interval '1 second'`
      return (await counts()).seen >= share * messages
    })
    await worker.kill()
    if (index === 1) imap.renumber()
    // Frees what the killed process had claimed.
    await app.sql`update mailboxes set claimed_until = null`
  }
  await using _worker = await start()
  await until('all messages', patienceMs, async () => {
    await app.sql`update mailboxes set next_poll_at = now() where next_poll_at > now() + interval '1 second'`
    return (await counts()).started === messages
  })
  const runs = await app.row`
    select count(*)::int as count, count(distinct data ->> 'message_id')::int as distinct_messages from runs`
  assert.deepEqual(runs, { count: messages, distinct_messages: messages })
  await until('all are marked', patienceMs, async () => {
    await app.sql`update mailboxes set next_poll_at = now() where next_poll_at > now() + interval '1 second'`
    return imap.messages.filter(({ flags }) => flags.has('$Muster')).length >= messages - 3
  })
})
