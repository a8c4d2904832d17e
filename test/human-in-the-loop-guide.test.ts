import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { startMailServer, type MailServer } from '../cli/operate/mail-server.ts'
import { muster } from '../cli/test-cli.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** The code of `docs/human-in-the-loop.md` and its example, unchanged. */
const root = join(import.meta.dirname, '..')
const guide = await readFile(join(root, 'docs', 'human-in-the-loop.md'), 'utf8')
const run = promisify(execFile)

let mail: MailServer
let app: TestApp
let folder: string

before(async () => {
  mail = await startMailServer()
  app = await startTestApp({
    env: {
      MUSTER_DEFAULT_MODEL: 'muster/demo',
      MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MUSTER_EMAIL_FROM: 'Muster <muster@example.com>',
    },
  })
  folder = await mkdtemp(join(tmpdir(), 'muster-guide-'))
})
after(async () => {
  await app[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  mail.mails.length = 0
})

function piece(name: string): string {
  const found = new RegExp(`<!-- ${name} -->\n+\`\`\`\\w+\n([^]*?)\`\`\``).exec(guide)?.[1]
  assert.ok(found !== undefined, `the guide has no piece ${name}`)
  return found
}

const settings = () => ({ MUSTER_URL: app.url, MUSTER_API_KEY: app.key })
const env = () => ({ PATH: process.env['PATH'], ...settings() })
const rest = async (id: string) => (await app.call('GET', `/v1/runs/${id}?wait=30`)).body.data

/** A waiting run of an agent that may send email. */
async function trigger(systemPrompt: string, input: string): Promise<string> {
  const agent = await app.call('POST', '/v1/agents', {
    body: {
      name: 'A',
      role: 'clerk',
      systemPrompt,
      connectors: ['email'],
      capabilities: ['email.send'],
    },
  })
  const crew = [{ role: 'clerk', systemPrompt, agentId: agent.body.data.id }]
  const workflow = await app.call('POST', '/v1/workflows', {
    body: { name: 'w', crew, human_in_the_loop: { enabled: true } },
  })
  const path = `/v1/workflows/${workflow.body.data.id}/runs`
  const { id } = (await app.call('POST', path, { body: { input } })).body.data
  assert.equal((await rest(id)).status, 'waiting_input')
  return id
}

describe('the guide to human-in-the-loop', () => {
  it('has a walk with curl that works as it stands', async () => {
    await mkdir(join(folder, '.muster'))
    await writeFile(join(folder, '.muster', 'admin-key'), `${app.key}\n`)
    const walk = piece('walk')
    // Only the address differs: a test cannot count on port 3000.
    const script = walk.replace('http://127.0.0.1:3000', app.url)
    assert.notEqual(script, walk)
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder })
    assert.match(stdout, /"status":"waiting_input"[^]*"workflow_name":"News"/)
    assert.match(stdout, /"status":"running"[^]*"status":"completed"/)
    assert.deepEqual(
      mail.mails.map(({ to, text }) => [to?.[0]?.address, text?.trim()]),
      [['orders@example.com', 'Order 4711 leaves on Friday.']],
    )
  })

  it('has TypeScript that answers a question, an approval with other arguments, and a rejection', async () => {
    const ids = [
      await trigger('Ask the user which way to take.', 'A trip to Ghent.'),
      await trigger('Send an email to orders@example.com.', 'Order 4711 leaves.'),
      await trigger('Send an email to eve@example.net, orders@example.com.', 'Order 4712 leaves.'),
    ]
    const file = join(folder, 'answer.ts')
    const sdk = pathToFileURL(join(root, 'sdk', 'index.ts')).href
    await writeFile(file, piece('answer').replace('@muster-run/sdk', sdk))
    await run(process.execPath, [file], { env: env() })
    const runs = await Promise.all(ids.map(rest))
    const decided = runs.map(({ status, steps }) => [status, steps[0].tool_calls[0].decision])
    assert.deepEqual(decided, [
      ['completed', 'answered'],
      ['completed', 'edited'],
      ['completed', 'rejected'],
    ])
    assert.match(runs[0].output, /Take the train\./)
    assert.match(runs[2].output, /Reason: Write to orders@example\.com only\./)
    assert.deepEqual(
      mail.mails.map(({ cc }) => cc?.[0]?.address),
      ['archive@example.com'],
    )
  })

  it('has an example whose mail is sent once it is approved', async () => {
    const file = join(root, 'examples', 'approved-email.ts')
    const { stdout } = await run(process.execPath, [file, 'Order 4713 is late.'], { env: env() })
    assert.match(
      stdout,
      /^clerk asks to run email\.send \(to: orders@example\.com.*\)\.\n\{\n {2}"to": "orders@example\.com"/,
    )
    const id = /^Answer it: npx muster respond (run_\w+)$/m.exec(stdout)?.[1] ?? ''
    assert.equal(mail.mails.length, 0)
    const { code, stderr } = await muster(['respond', id, '--approve'], { env: settings() })
    assert.equal(code, 0, stderr)
    assert.equal((await rest(id)).status, 'completed')
    assert.deepEqual(
      mail.mails.map(({ text }) => text?.trim()),
      ['Order 4713 is late.'],
    )
  })
})
