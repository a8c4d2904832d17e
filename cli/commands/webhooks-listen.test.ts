import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { untilFound } from '../../rig/until.ts'
import { makeSecret, signHeaders } from '../../server/sends/webhooks/delivery.ts'
import { startTestApp } from '../../test/test-app.ts'
import { verifyWebhook } from '../../sdk/index.ts'
import { closeServer, listenOnLoopback } from '../../rig/loopback.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'
import { json, muster, startMuster, type Started } from '../test-cli.ts'

const secret = makeSecret()
const run = { id: 'run_1', status: 'completed', output: 'all \u001b[31mdone', sequence: 5 }

function makeBody(data: Record<string, unknown> = run): string {
  return JSON.stringify({ type: 'run.completed', timestamp: '2026-11-21T09:00:00.000Z', data })
}

function sign(body: string, key = secret, age = 0): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1000) - age
  return signHeaders({ id: 'evt_1', timestampSeconds, body }, [key])
}

function post(url: string, body: string, headers = sign(body)): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers })
}

/** Starts an HTTP server on a free port and returns its address. */
async function listen(
  args: string[],
  env: Record<string, string> = {},
): Promise<Started & { url: string }> {
  const started = startMuster(['webhooks', 'listen', '--port', '0', ...args], { env })
  const [, url = ''] = await started.until(/Listening on (http:\S+)\. Ctrl-C stops\./)
  return { ...started, url }
}

async function stop(listener: Started): Promise<void> {
  listener.kill('SIGINT')
  assert.equal((await listener.finished).code, 0)
}

describe('muster webhooks listen', () => {
  it('verifies and prints events, and tells the sender why one is refused', async () => {
    const listener = await listen(['--secret', secret])
    const body = makeBody()
    const good = await post(`${listener.url}/any/path`, body)
    assert.equal(good.status, 204)
    const line = '2026-11-21 09:00:00  run.completed  evt_1  run_1  completed  all done'
    await listener.until(new RegExp(`^${line}$`, 'm'))

    for (const [text, headers, code] of [
      [makeBody({ ...run, sequence: 6 }), sign(body), 'no_match'],
      [body, sign(body, makeSecret()), 'no_match'],
      [body, sign(body, secret, 301), 'bad_timestamp'],
      [body, {}, 'missing_header'],
      ['{}', sign('{}'), 'invalid_payload'],
    ] as const) {
      const refused = await post(listener.url, text, headers)
      assert.equal(refused.status, 400)
      assert.match(await refused.text(), new RegExp(`^${code}: Cannot verify webhook: `))
    }
    const read = await fetch(listener.url)
    assert.equal(read.status, 405)
    await listener.until(/^error: Cannot verify webhook: it is \d+ seconds old/m)
    await stop(listener)
    assert.equal(listener.output.stdout, `${line}\n`)
  })

  it('takes bodies up to 1 MB, whether their length is told or not', async () => {
    const listener = await listen([], { MUSTER_WEBHOOK_SECRET: secret })
    const large = makeBody({ ...run, output: 'x'.repeat(1024 * 1024) })
    const refused = await post(listener.url, large)
    assert.equal(refused.status, 413)
    const { hostname, port } = new URL(listener.url)
    const socket = connect(Number(port), hostname).setEncoding('utf8')
    socket.on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
    const part = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    for (let count = 0; count < 17; count++) socket.write(part)
    const [answer] = (await once(socket, 'data')) as [string]
    assert.match(answer, /^HTTP\/1\.1 413 /)
    socket.destroy()

    const rest = 1024 * 1024 - makeBody({ ...run, output: '' }).length
    assert.equal(
      (await post(listener.url, makeBody({ ...run, output: 'x'.repeat(rest) }))).status,
      204,
    )
    await stop(listener)
  })

  it('prints JSON, one event a line, and takes several secrets', async () => {
    const before = makeSecret()
    const port = await freePort()
    const env = { MUSTER_WEBHOOK_SECRET: `${before},${secret}` }
    const args = ['webhooks', 'listen', '--port', port, '--json']
    const listener = startMuster(args, { env })
    const body = makeBody()
    const url = `http://127.0.0.1:${port}`
    const first = await untilAnswered(() => post(url, body))
    assert.equal(first.status, 204)
    assert.equal((await post(url, body, sign(body, before))).status, 204)
    assert.equal((await post(url, body, sign(body, makeSecret()))).status, 400)
    await stop(listener)
    const lines = listener.output.stdout.trim().split('\n').map(json)
    const event = { ...JSON.parse(body), id: 'evt_1' }
    assert.deepEqual(lines, [event, event])
    assert.equal(json(listener.output.stderr).error.code, 'no_match')
  })

  it('receives what a service sends, behind a proxy that speaks https', async () => {
    await using app = await startTestApp()
    await using proxy = await startWebhookReceiver()
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    const create = ['webhooks', 'create', '--to', proxy.url, '--event', 'run.completed', '--json']
    const endpoint = json((await muster(create, { env })).stdout)
    const listener = await listen(['--secret', endpoint.secret])
    proxy.answer = ({ text, headers }, response) => {
      const passed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))
      void post(listener.url, text, Object.fromEntries(passed) as Record<string, string>).then(
        async (answer) => response.writeHead(answer.status).end(await answer.text()),
      )
    }
    const tested = await muster(['webhooks', 'test', endpoint.id], { env })
    assert.equal(tested.code, 0, tested.stderr)
    assert.match(tested.stdout, /answer +204 in/)
    await listener.until(/webhook\.test {2}evt_\w+ {2}A test event of Muster\./)
    await stop(listener)

    const wrong = await listen(['--secret', makeSecret()])
    listener.url = wrong.url
    const failed = await muster(['webhooks', 'test', endpoint.id], { env })
    assert.equal(failed.code, 3)
    assert.match(failed.stdout, /answer +400 in .*\n.*\nbody +no_match: Cannot verify webhook/)
    await stop(wrong)
  })

  it('forwards events of an endpoint that it creates and deletes', async () => {
    await using app = await startTestApp()
    const received: { text: string; headers: IncomingHttpHeaders }[] = []
    let status = 200
    const target = createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ text: body, headers: request.headers })
        response.writeHead(status).end('taken')
      })
    })
    const forward = `http://127.0.0.1:${await listenOnLoopback(target)}/hook`
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key, MUSTER_WEBHOOK_SECRET: secret }
    const args = ['webhooks', 'listen', '--forward', forward]
    const listener = startMuster([...args, '--event', 'run.completed'], { env })
    await listener.until(/Listening on http:\S+, forwarding to http:/)
    const [endpoint] = await app.get('/v1/webhooks')
    assert.deepEqual(endpoint.events, ['run.completed'])
    const [, own = ''] = /secret: (whsec_\S+)/.exec(listener.output.stderr) ?? []

    const { id } = await app.run(await app.createWorkflow())
    await listener.until(new RegExp(`run\\.completed  evt_\\w+  ${id}  completed  .*  → 200$`, 'm'))
    const [first] = received
    const event = await verifyWebhook(first?.text ?? '', first?.headers ?? {}, own)
    assert.equal(event.type, 'run.completed')

    status = 503
    const refused = await muster(['webhooks', 'test', endpoint.id], { env })
    assert.match(refused.stdout, /answer +503 in .*\n.*\nbody +taken/)
    await closeServer(target)
    const away = await muster(['webhooks', 'test', endpoint.id], { env })
    assert.match(away.stdout, /answer +502 in .*\n.*\nbody +Cannot forward to http:.*ECONNREFUSED/)
    await listener.until(/^error: Cannot forward to http:/m)
    await stop(listener)
    assert.deepEqual(await app.get('/v1/webhooks'), [])
  })

  it('says how the service can reach it', async () => {
    await using app = await startTestApp({ role: 'api', env: { MUSTER_ALLOWED_NETWORKS: '' } })
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    const args = ['webhooks', 'listen', '--forward', 'http://127.0.0.1:9']
    const { code, stderr } = await muster(args, { env })
    assert.equal(code, 2)
    assert.match(stderr, /not publicly reachable.*MUSTER_ALLOWED_NETWORKS=127\.0\.0\.0\/8.*--to/)
    assert.deepEqual(await app.get('/v1/webhooks'), [])
  })

  it('ends with 2 when it cannot begin', async () => {
    const listener = await listen(['--secret', secret])
    const taken = new URL(listener.url).port
    for (const [args, message] of [
      [[], /no secret; give --secret, or set MUSTER_WEBHOOK_SECRET/],
      [['--secret', 'hunter2'], /a secret is not whsec_/],
      [['--secret', secret, '--port', '70000'], /from 0 to 65535/],
      [['--forward', 'localhost:3000'], /--forward is not an http or https URL/],
      [
        ['--secret', secret, '--event', 'run.failed'],
        /are for the endpoint that --forward creates/,
      ],
      [['--secret', secret, '--port', taken], /port \d+ is in use; choose another with --port/],
    ] as const) {
      const { code, stderr } = await muster(['webhooks', 'listen', ...args])
      assert.equal(code, 2)
      assert.match(stderr, message)
      assert.ok(!stderr.includes('hunter2'))
    }
    await stop(listener)
  })
})

const untilAnswered = (call: () => Promise<Response>): Promise<Response> =>
  untilFound('the listener answers', 20_000, () => call().catch(() => undefined))

/** A port that was free a moment ago. */
async function freePort(): Promise<string> {
  const listener = await listen(['--secret', secret])
  await stop(listener)
  return new URL(listener.url).port
}
