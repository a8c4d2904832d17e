import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { createServer as listen, type AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import type { Answer, ApiClient } from '../../../test/api-client.ts'
import { listenOnLoopback } from '../../../rig/loopback.ts'
import { actOnce, mailFixture, type ToolCall } from '../../../test/clerk.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { prepare } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'

let site: Server
/** The account's admin sets policies and connects; the member owns agents and runs. */
let admin: ApiClient
let member: ApiClient

/** Tests that policies of an account restrict its agents, whatever a workflow says. */
const { app, mail } = mailFixture()
prepare(async () => {
  site = createServer((request, response) => {
    const { port } = site.address() as AddressInfo
    if (request.url === '/away') {
      response.writeHead(302, { location: `http://127.0.0.2:${port}/secret` }).end()
    } else response.writeHead(200, { 'content-type': 'text/plain' }).end('a page')
  })
  await new Promise<void>((resolve) => site.listen(0, '0.0.0.0', resolve))
})
after(async () => {
  site.close()
})
beforeEach(async () => {
  mail.mails.length = 0
  admin = app.as((await createAccount(app.database, 'one')).adminKey)
  const made = await admin.post('/v1/api-keys', { name: 'm', role: 'member' })
  member = app.as(made.key)
})

const set = (policies: object) => admin.patch('/v1/policies', policies)

async function createWorkflow(hitl: object, by = member): Promise<string> {
  const agentId = await by.createAgent({
    connectors: ['email', 'web'],
    capabilities: ['email.send', 'web.fetch'],
    memory_enabled: true,
  })
  const crew = [{ role: 'clerk', systemPrompt: 'act', agentId }]
  return by.createWorkflow({ crew, human_in_the_loop: hitl })
}

function act(...calls: ToolCall[]): void {
  app.answer = actOnce(...calls)
}

const run = (workflowId: string, by = member) => by.run(workflowId)

async function approve({ id, pending }: Answer['body']): Promise<Answer['body']> {
  await member.post(`/v1/runs/${id}/respond`, { action: 'approve', pending_id: pending.id })
  return member.rest(id)
}

const callsOf = (run: Answer['body']): { status: string; decision: string | null }[] =>
  run.steps.flatMap(({ tool_calls }: Answer['body']) => tool_calls)

const letter = (id = 'm') => ({
  id,
  name: 'email__send',
  arguments: { to: 'a@example.org', subject: 's', text: 't' },
})
const remember = { id: 'n', name: 'remember', arguments: { content: 'a note' } }
const visit = (path: string, host = '127.0.0.1') => ({
  id: `v ${host}${path}`,
  name: 'web__fetch',
  arguments: { url: `http://${host}:${(site.address() as AddressInfo).port}${path}` },
})
const never = { enabled: true, approvals: 'never' }
const unattended = { enabled: false, approvals: 'never' }

describe('approvals_floor', () => {
  it('makes sensitive actions wait in a workflow that asks for none, also one that exists', async () => {
    act(letter(), remember)
    const workflowId = await createWorkflow(never)
    assert.equal((await run(workflowId)).status, 'completed')
    await set({ approvals_floor: 'sensitive' })
    const waiting = await run(workflowId)
    assert.deepEqual([waiting.status, waiting.pending?.tool], ['waiting_input', 'email.send'])
    assert.equal(mail.mails.length, 1)
    assert.equal((await approve(waiting)).status, 'completed')
    assert.equal(mail.mails.length, 2)
  })

  it('binds no other account', async () => {
    await set({ approvals_floor: 'all' })
    const other = app.as((await createAccount(app.database, 'two')).adminKey)
    act(letter())
    assert.equal((await run(await createWorkflow(never, other), other)).status, 'completed')
  })
})

describe('sensitive_actions', () => {
  it('wait for approval whatever their connector says, and are listed so', async () => {
    act(visit('/'))
    const workflowId = await createWorkflow({ enabled: true })
    assert.equal((await run(workflowId)).status, 'completed')
    await set({ sensitive_actions: ['web.fetch'] })
    assert.equal((await run(workflowId)).pending.tool, 'web.fetch')
    const data = await member.get('/v1/connectors')
    const web = data.find(({ id }: { id: string }) => id === 'web')
    assert.deepEqual(pluck(web.actions, 'sensitive'), [true, false])
    const off = await run(await createWorkflow({ enabled: false }))
    assert.match(off.output, /refused and not done/)
  })
})

describe('web_fetch_hosts', () => {
  it('refuse other hosts, also behind a redirect, with clear words', async () => {
    const workflowId = await createWorkflow(unattended)
    act(visit('/away'))
    assert.match((await run(workflowId)).output, /a page/)
    await set({ web_fetch_hosts: ['127.0.0.1', '*.example.com'] })
    assert.match(
      (await run(workflowId)).output,
      /Cannot fetch http:\/\/127\.0\.0\.2:\d+\/secret: the policies of the account do not allow web\.fetch to reach 127\.0\.0\.2/,
    )
    act(visit('/'), visit('/', '127.0.0.3'), visit('/', '0177.1'), visit('/', 'example.com'))
    const { output } = await run(workflowId)
    const [own, third, odd, bare] = output.split(' | ')
    assert.match(own, /a page/)
    assert.match(third, /do not allow .* 127\.0\.0\.3/)
    assert.match(odd, /a page/, 'it is the same address, written in another way')
    assert.match(bare, /do not allow .* example\.com/)
    await set({ web_fetch_hosts: [] })
    act(visit('/'))
    assert.match((await run(workflowId)).output, /do not allow/)
  })
})

describe('mails_a_day', () => {
  it('lets no more mails out than it says, whatever one run asks for', async () => {
    act(...Array.from({ length: 32 }, (_, number) => letter(`m${number}`)))
    await set({ mails_a_day: 10 })
    const ended = await run(await createWorkflow(unattended))
    assert.equal(mail.mails.length, 10)
    const refused = callsOf(ended).filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 22)
    assert.ok(refused.every(({ decision }) => decision === 'refused'))
    assert.match(ended.output, /not sent: the account's policies allow its agents 10 emails a day/)
  })

  it('is exact over runs and processes, for each account and each day', async () => {
    await using _ = await app.startAnother('all')
    await set({ mails_a_day: 7 })
    const workflowId = await createWorkflow(unattended)
    act(letter('a'), letter('b'))
    const ended = await Promise.all(Array.from({ length: 8 }, () => run(workflowId)))
    assert.equal(mail.mails.length, 7)
    assert.equal(ended.flatMap(callsOf).filter(({ status }) => status === 'succeeded').length, 7)
    const other = app.as((await createAccount(app.database, 'two')).adminKey)
    await run(await createWorkflow(unattended, other), other)
    assert.equal(mail.mails.length, 9, 'another account has its own count')
    await app.sql`update mail_counts set day = day - 1`
    await run(workflowId)
    assert.equal(mail.mails.length, 11, 'it is another day')
  })

  it('counts what is unknown, and not what surely was not sent', async () => {
    await set({ mails_a_day: 2 })
    const workflowId = await createWorkflow(unattended)
    const server = { host: '127.0.0.1', port: mail.port, from: 'a@example.com' }
    const put = (port: number) => admin.put('/v1/connectors/email', { ...server, port })
    act(letter())
    await put(1)
    assert.equal(callsOf(await run(workflowId))[0]?.status, 'failed')
    await using silent = await startSilentServer()
    await put(silent.port)
    assert.equal(callsOf(await run(workflowId))[0]?.status, 'unknown')
    await put(mail.port)
    assert.equal(callsOf(await run(workflowId))[0]?.status, 'succeeded')
    assert.equal(callsOf(await run(workflowId))[0]?.status, 'rejected')
    assert.equal(mail.mails.length, 1)
  })

  it('is checked when an approved mail goes out, and keeps who approved it', async () => {
    act(letter())
    const waiting = await run(await createWorkflow({ enabled: true }))
    await set({ mails_a_day: 0 })
    const [call] = callsOf(await approve(waiting))
    assert.deepEqual([call?.status, call?.decision], ['rejected', 'approved'])
    assert.equal(mail.mails.length, 0)
  })
})

/** A mail server that takes a mail and then breaks the connection instead of confirming it. */
async function startSilentServer(): Promise<AsyncDisposable & { port: number }> {
  const server = listen((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 silent\r\n')
    socket.on('data', (data) => {
      const said = data.toString()
      if (said.startsWith('DATA')) socket.write('354 go on\r\n')
      else if (/^[A-Z]{4} /.test(said)) socket.write('250 yes\r\n')
      else socket.destroy()
    })
  })
  return {
    port: await listenOnLoopback(server),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

describe('rules', () => {
  const small = { action: 'email.send', when: 'args.subject == "s"', decision: 'allow' }
  const asks = { enabled: true, approvals: 'sensitive' }

  it('allow the harmless half of an action, and each call says which rule decided', async () => {
    act(letter(), { ...letter('big'), arguments: { ...letter().arguments, subject: 'big' } })
    await set({ rules: [small] })
    const waiting = await run(await createWorkflow(asks))
    assert.equal(waiting.status, 'waiting_input')
    assert.equal(waiting.pending.tool_input.subject, 'big')
    const [allowed, asked] = callsOf(waiting) as unknown as {
      status: string
      rule: object | null
    }[]
    assert.equal(allowed?.status, 'succeeded')
    const shown = {
      level: 'account',
      position: 0,
      action: 'email.send',
      decision: 'allow',
      reason: null,
    }
    assert.deepEqual(allowed.rule, shown)
    assert.equal(asked?.rule, null)
    assert.equal((await approve(waiting)).status, 'completed')
    assert.equal(mail.mails.length, 2)
  })

  it('block a call, and what an approval or an edit would make of it', async () => {
    act(letter())
    const block = {
      action: 'email.send',
      when: 'args.to.endsWith("@example.org")',
      decision: 'block',
      reason: 'not there',
    }
    await set({ rules: [block] })
    const blocked = await run(await createWorkflow(never))
    const [call] = callsOf(blocked) as unknown as { output: string; status: string }[]
    assert.equal(call?.status, 'rejected')
    assert.match(call.output, /a rule blocks it \(not there\)/)
    await set({ rules: [] })
    const waiting = await run(await createWorkflow(asks))
    await set({ rules: [block] })
    const respond = (body: object) =>
      member.call('POST', `/v1/runs/${waiting.id}/respond`, {
        body: { action: 'approve', pending_id: waiting.pending.id, ...body },
      })
    assert.equal((await respond({})).body.error.code, 'blocked_by_rule')
    const elsewhere = { ...letter().arguments, to: 'a@example.com' }
    await set({ rules: [{ ...block, when: 'args.to.endsWith("@example.com")' }] })
    assert.equal((await respond({ tool_input: elsewhere })).body.error.code, 'blocked_by_rule')
    assert.equal((await respond({})).status, 202)
    assert.equal((await member.rest(waiting.id)).status, 'completed')
    assert.equal(mail.mails.length, 1)
  })

  it('are refused where they cannot be read, and tried before they are saved', async () => {
    const { body } = await admin.call('PATCH', '/v1/policies', {
      body: { rules: [small, { ...small, when: 'args.' }] },
    })
    assert.equal(body.error.code, 'invalid_expression')
    assert.equal(body.error.param, 'rules[1].when')
    const tried = { action: 'email.send', args: { subject: 's' } }
    assert.equal((await member.post('/v1/rules/test', tried)).rule, null)
    const { rule } = await member.post('/v1/rules/test', { ...tried, rules: [small] })
    assert.equal(rule.decision, 'allow')
    await set({ rules: [{ ...small, decision: 'block' }] })
    assert.equal((await member.post('/v1/rules/test', tried)).rule.decision, 'block')
  })
})
