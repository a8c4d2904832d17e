import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { untilFound } from '../rig/until.ts'
import { makeSecret, signHeaders } from '../server/sends/webhooks/delivery.ts'
import { startTestApp } from './test-app.ts'
import { freePort } from '../rig/loopback.ts'
import { startWebhookReceiver } from '../rig/webhook-receiver.ts'

/** The verification code of `docs/webhooks.md`, unchanged. */
const root = join(import.meta.dirname, '..')
const guide = await readFile(join(root, 'docs', 'webhooks.md'), 'utf8')

function piece(name: string): string {
  const found = new RegExp(`<!-- verify: ${name} -->\n+\`\`\`\\w+\n([^]*?)\`\`\``).exec(guide)?.[1]
  assert.ok(found !== undefined, `docs/webhooks.md has no piece ${name}`)
  return found
}

interface Case {
  name: string
  body: string
  headers: Record<string, string>
  isGood: boolean
}

let secret: string
let cases: Case[]
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-guide-'))
  await using app = await startTestApp()
  await using receiver = await startWebhookReceiver()
  const create = { url: receiver.url, events: ['run.completed'] }
  const endpoint = (await app.call('POST', '/v1/webhooks', { body: create })).body.data
  const workflow = (await app.call('POST', '/v1/workflows', { body: { name: 'w' } })).body.data
  const input = { input: 'Grüße aus 東京 🙂' }
  await app.call('POST', `/v1/workflows/${workflow.id}/runs`, { body: input })
  await receiver.until(() => receiver.received.length === 1)
  const rotated = await app.call('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`)
  await app.call('POST', `/v1/webhooks/${endpoint.id}/test`)
  await receiver.until(() => receiver.received.length === 2)
  secret = endpoint.secret
  cases = makeCases(receiver.received, [rotated.body.data.secret, secret])
})
after(() => rm(folder, { recursive: true, force: true }))

/** Real requests of a service, and manipulated ones. */
function makeCases(
  [real, test]: { text: string; headers: NodeJS.Dict<string | string[]> }[],
  secrets: [string, string],
): Case[] {
  assert.ok(real !== undefined && test !== undefined)
  const body = real.text
  assert.match(body, /Grüße aus 東京 🙂/)
  const pick = (headers: NodeJS.Dict<string | string[]>) =>
    Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        String(headers[name]),
      ]),
    )
  const headers = pick(real.headers)
  const sign = (age: number, key = secrets[1]) =>
    signHeaders({ id: 'evt_1', timestampSeconds: Math.floor(Date.now() / 1000) - age, body }, [key])
  const without = (name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([header]) => header !== name))
  const both = pick(test.headers)
  assert.equal(both['webhook-signature']?.split(' ').length, 2)
  return [
    { name: 'a real event', body, headers, isGood: true },
    { name: 'two signatures after a rotation', body: test.text, headers: both, isGood: true },
    { name: 'a signature of our own', body, headers: sign(0), isGood: true },
    { name: 'one a little old', body, headers: sign(280), isGood: true },
    { name: 'a changed byte', body: body.replace('run_', 'ruN_'), headers, isGood: false },
    { name: 'one byte more', body: `${body} `, headers, isGood: false },
    { name: 'another id', body, headers: { ...headers, 'webhook-id': 'evt_2' }, isGood: false },
    { name: 'an old timestamp', body, headers: sign(310), isGood: false },
    { name: 'a timestamp of the future', body, headers: sign(-310), isGood: false },
    { name: 'a wrong secret', body, headers: sign(0, makeSecret()), isGood: false },
    ...Object.keys(headers).map((name) => ({
      name: `no ${name}`,
      body,
      headers: without(name),
      isGood: false,
    })),
    {
      name: 'a timestamp that is no number',
      body,
      headers: { ...headers, 'webhook-timestamp': 'now' },
      isGood: false,
    },
    {
      name: 'a signature of another kind',
      body,
      headers: { ...headers, 'webhook-signature': 'v1a,AAAA v1, v1,é'.normalize('NFD') },
      isGood: false,
    },
  ]
}

/** Compares which cases were accepted with which should be. */
function compare(verdicts: boolean[]): void {
  assert.deepEqual(
    cases.map(({ name }, index) => [name, verdicts[index]]),
    cases.map(({ name, isGood }) => [name, isGood]),
  )
}

describe('the guide to webhooks', () => {
  it('has a receiver with the SDK that works', async () => {
    const file = join(folder, 'receiver.ts')
    const sdk = pathToFileURL(join(root, 'sdk', 'index.ts')).href
    await writeFile(file, piece('sdk').replace('@muster-run/sdk', sdk))
    const port = await freePort()
    const env = { PATH: process.env['PATH'], PORT: String(port), MUSTER_WEBHOOK_SECRET: secret }
    const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    const closed = new Promise((resolve) => child.once('close', resolve))
    try {
      const url = `http://127.0.0.1:${port}`
      const verdicts: boolean[] = []
      for (const { body, headers } of cases) {
        const answer = await untilAnswered(url, body, plain(headers), () => child.exitCode === null)
        assert.ok([204, 400].includes(answer.status), String(answer.status))
        verdicts.push(answer.status === 204)
      }
      compare(verdicts)
      const body = 'x'.repeat(2 * 1024 * 1024)
      await assert.rejects(fetch(url, { method: 'POST', body }), 'a large body is cut off')
      assert.equal((await untilAnswered(url, '', {}, () => child.exitCode === null)).status, 400)
    } finally {
      child.kill()
      await closed
    }
    assert.match(printed, /^evt_\w+ echo: /)
  })

  it('has a function for Node that works', async () => {
    const file = join(folder, 'node.ts')
    await writeFile(file, piece('node'))
    const { isGenuine } = (await import(pathToFileURL(file).href)) as {
      isGenuine: (body: Buffer, headers: Record<string, string>, secret: string) => boolean
    }
    compare(cases.map(({ body, headers }) => isGenuine(Buffer.from(body), headers, secret)))
    const [good] = cases
    assert.throws(() => isGenuine(Buffer.from(good?.body ?? ''), good?.headers ?? {}, ''))
  })

  it('has a function for Python that works', async (context) => {
    if (spawnSync('python3', ['--version']).status !== 0) {
      context.skip('there is no python3 on this machine: the Python of the guide was not tried')
      return
    }
    await writeFile(join(folder, 'guide.py'), piece('python'))
    const driver = `
import json, sys
from guide import is_genuine
asked = json.load(sys.stdin)
print(json.dumps([
    is_genuine(one["body"].encode(), one["headers"], asked["secret"]) for one in asked["cases"]
]))`
    const input = JSON.stringify({ secret, cases })
    const options = { cwd: folder, input, encoding: 'utf8' as const }
    const { stdout, stderr, status } = spawnSync('python3', ['-c', driver], options)
    assert.equal(status, 0, stderr)
    compare(JSON.parse(stdout))
  })
})

/** Headers that `fetch` can send, which are Latin-1 only. */
function plain(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\0-\u00ff]/g, '?')]),
  )
}

const untilAnswered = (
  url: string,
  body: string,
  headers: Record<string, string>,
  isAlive: () => boolean,
): Promise<Response> =>
  untilFound('the receiver of the guide answers', 60_000, async () => {
    assert.ok(isAlive(), 'the receiver of the guide ended')
    return fetch(url, { method: 'POST', body, headers }).catch(() => undefined)
  })
