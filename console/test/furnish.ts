import { makePdf } from '../../server/files/test-files.ts'
import { furnishUsage } from './furnish-usage.ts'
import type { World } from './world.ts'

/** Addresses of screens by the name of their picture. */
export type Places = Record<string, string>

/** The address of every screen, those of the furnished objects included. */
export function everyPath(places: Places): string[] {
  const { run = '', workflow = '', agent = '', 'run-failed': failed = '' } = places
  const runPath = run.replace(/\?.*/, '')
  return [
    ...Object.values(places),
    '/inbox',
    '/workflows/new',
    '/templates',
    '/agents/new',
    '/profile',
    '/authorize',
    '/nothing',
    '/help',
    '/help/tasks/report-to-slack',
    runPath,
    `${workflow}/versions`,
    `${agent}/versions`,
    `${runPath}/compare/${failed.replace('/runs/', '')}`,
  ]
}

/** Fills an account with everything that the pictures and the walk over all screens show. */
export async function furnish(world: World): Promise<Places> {
  const { muster, start, run, respond, addPerson, mcp } = world
  const letter = JSON.stringify({
    to: 'ada.brandt@example.com',
    subject: 'Your order 4711 is on its way',
    text: 'Dear Ms Brandt,\n\nyour pump left our warehouse this morning and arrives on Friday. The seal that failed on Monday is part of the parcel.\n\nWe are sorry for the five hours that line 4 stood still.\n\nKind regards\nThe service team',
  })
  const done = await start(
    'say The pump of line 4 failed at 06:40. A worn seal let oil through; the alarm was muted since Sunday. Production stood for five hours.',
    {
      name: 'Incident report',
      instructions: 'Write a short report: what failed, why, and what it cost. No blame.',
      input:
        'The pump of line 4 failed on Monday at 06:40. A seal was worn, and the alarm was muted. Spare seals arrive on Friday.',
    },
  )

  const log = await muster.files.upload(
    '# Line 4, Monday\n\n- 06:40 The pump stops. Oil below the seal.\n- 06:52 The alarm is found muted.\n- 11:35 Production goes on.\n',
    { name: 'shift-log.md' },
  )
  const manual = await makePdf(['Seals', 'Alarms', 'Spare parts'])
  const given = [
    log,
    await muster.files.upload(manual, { name: 'pump-manual.pdf' }),
    await muster.files.upload(await makePdf(['', '']), { name: 'inspection-2026-11-scan.pdf' }),
    await muster.files.upload('part,left\nseal,0\nvalve,12\n', { name: 'stock.csv' }),
  ]
  const withFiles = await run(done.workflowId, {
    input: 'Write the report from the log of the shift.',
    files: given.map(({ id }) => id),
  })

  const refunded = await start('refund {"customer": "C-2041", "amount": 120, "reason": "late"}', {
    name: 'Refunds',
    instructions:
      'Decide about refunds by the rules of the house. Pay back what is due, never more.',
    input: 'Order 4702 arrived nine days late. The customer asks for money back.',
  })
  const first = await muster.runs.retrieve(refunded.runId)
  await respond(refunded.runId, {
    action: 'approve',
    tool_input: { customer: 'C-2041', amount: 90, reason: 'goodwill' },
  })
  await refunded.rests()

  const { onCall } = mcp
  mcp.onCall = () => ({
    isError: true,
    content: [{ type: 'text', text: 'The ledger is closed for the night.' }],
  })
  const paused = await start('say Nothing to do.', {
    name: 'Night shift',
    instructions: 'Sum up what happened in the night for those who come in at six.',
  })
  await muster.agents.update(paused.agentId, { status: 'paused' })
  const failed = await run(paused.workflowId, { input: 'Summarise the night.' })
  mcp.onCall = onCall

  const mail = await start(`mail ${letter}`, {
    name: 'Customer letters',
    instructions:
      'You write to customers of the workshop. Be friendly and short, say when their parts arrive, and be honest about what went wrong.',
    input: 'Tell Ms Brandt when the pump arrives.',
    people: { timeout_seconds: 86_400 },
  })
  await start(
    'ask {"question": "The customer has two open orders, 4711 and 4712. Which of them is the complaint about?"}',
    {
      name: 'Complaints',
      instructions: 'Answer complaints. Ask when you cannot know what a customer means.',
      input: 'My order is late again!',
    },
  )
  await start('refund {"customer": "C-17", "amount": 500, "express": false, "reason": "late"}', {
    name: 'Refunds abroad',
    instructions: 'Decide about refunds of parcels that crossed a border.',
    input: 'Parcel lost at the border.',
    people: { timeout_seconds: 3_600 },
  })

  const notes = [
    { content: 'Ms Brandt wants letters, no calls. She reads them in the evening.', pinned: true },
    { content: 'Refunds over 200 euros need a sentence of reason for accounting.', pinned: false },
    { content: 'Order numbers below 4000 are from the old shop; look there first.', pinned: false },
  ]
  for (const note of notes) await muster.agents.memory.create(mail.agentId, note)
  await muster.api_keys.create({ name: 'Nightly reports', role: 'viewer' })
  await muster.api_keys.create({
    name: 'Shop',
    role: 'member',
    expires_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  })
  const hook = await muster.webhooks.create({
    url: 'https://127.0.0.1:9/muster',
    description: 'Shop',
    events: ['run.completed', 'run.failed'],
  })
  await muster.webhooks.test(hook.id)
  await muster.channels.create({
    name: 'Approvers',
    kind: 'email',
    recipients: ['ada.brandt@example.com', 'eva.lang@example.com'],
  })
  await muster.alerts.create({ name: 'Failed letters', on: 'run.failed' })
  const batch = await muster.batches.create(mail.workflowId, {
    name: 'Reminders of November',
    items: ['Ada', 'Grace', 'Edsger'].map((name) => ({ key: name, input: `Remind ${name}.` })),
  })
  const desk = await muster.workflows.create({
    name: 'Pump desk',
    crew: [{ role: 'clerk', systemPrompt: 'Answer questions about pumps.' }],
    thread: {},
  })
  const thread = await muster.threads.create({ workflow_id: desk.id, title: 'Pump of line 4' })
  const asked = await muster.threads.send(thread.id, { input: 'Which pump failed most often?' })
  await muster.threads.wait(thread.id, asked, { timeoutMs: 20_000 })
  await muster.budgets.create({
    name: 'November',
    scope: 'account',
    window: 'month',
    time_zone: 'Europe/Berlin',
    cap_usd: 120,
    thresholds: [0.5, 0.8],
  })
  await muster.mailboxes.create({
    name: 'Support',
    host: '127.0.0.1',
    port: 9,
    username: 'support@example.com',
    password: 'an app password',
    workflow_id: mail.workflowId,
  })
  const weekly = await muster.schedules.create({
    name: 'Weekly letters',
    workflow_id: mail.workflowId,
    cron: '0 9 * * 1',
    time_zone: 'Europe/Berlin',
    input: 'Tell everyone whose part arrived in the week before {{ scheduled_at }}.',
  })
  await muster.schedules.trigger(weekly.id)
  await world.app.sql`
    insert into schedule_firings (account_id, id, schedule_id, number, kind, due_at, status, why, settled_at)
    select account_id, 'fir_' || n, id, 100 + n, 'scheduled', now() - n * interval '7 days',
           case n when 1 then 'skipped' else 'missed' end,
           case n when 1 then 'The previous run, run_01m8aqehabfak8gn718keq7g7g, waits for a person'
             else 'No worker ran in time (catch_up: last, up to 3600 s late)' end, now()
    from schedules, generate_series(1, 3) as n where id = ${weekly.id}`
  const issues = await muster.hooks.create({
    name: 'Orders of the shop',
    workflow_id: mail.workflowId,
    scheme: 'none',
    filter: 'body.kind == "order.shipped"',
    input: 'Tell {{ body.customer }} that order {{ body.order }} is on its way.',
  })
  for (const kind of ['order.shipped', 'order.created']) {
    const body = JSON.stringify({ kind, order: 1_042, customer: 'ada@example.com' })
    await fetch(issues.url ?? '', { method: 'POST', body })
  }
  await addPerson('Ada Brandt', 'admin')
  await muster.invitations.create({ email: 'eva.lang@example.com', role: 'approver' })
  await furnishUsage(world)
  const waiting = await muster.runs.retrieve(mail.runId)
  return {
    home: '/',
    connections: '/connections',
    inbox: `/inbox/${waiting.pending?.id}`,
    runs: '/runs',
    run: `/runs/${refunded.runId}?at=${first.pending?.call_id}`,
    'run-failed': `/runs/${failed.id}`,
    workflows: '/workflows',
    workflow: `/workflows/${mail.workflowId}`,
    schedules: '/schedules',
    schedule: `/schedules/${weekly.id}`,
    hooks: '/inbound-hooks',
    hook: `/inbound-hooks/${issues.id}`,
    threads: '/threads',
    thread: `/threads/${thread.id}`,
    batches: '/batches',
    batch: `/batches/${batch.id}`,
    budgets: '/budgets',
    usage: '/usage?tag=customer',
    agents: '/agents',
    agent: `/agents/${mail.agentId}`,
    connectors: '/connectors',
    'tool-calls': '/tool-calls',
    'model-providers': '/model-providers',
    mailboxes: '/mailboxes',
    channels: '/channels',
    webhooks: '/webhooks',
    webhook: `/webhooks/${hook.id}`,
    files: '/files',
    file: `/files/${log.id}`,
    'run-files': `/runs/${withFiles.id}`,
    'fine-tunes': '/fine-tunes',
    'fine-tune-new': '/fine-tunes/new',
    people: '/people',
    policies: '/policies',
    'api-keys': '/api-keys',
    audit: '/audit',
  }
}
