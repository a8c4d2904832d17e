import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { describe, it } from 'node:test'
import { makeCertificate } from '../../rig/certificate.ts'
import { closeServer, listenOnLoopback } from '../../rig/loopback.ts'
import { fixture } from '../../test/fixture.ts'
import { parseAllowedNetworks } from '../outbound/address.ts'
import { open } from '../outbound/test-call.ts'
import { testLimits } from '../start/test-limits.ts'
import { ClientDocuments } from './client-documents.ts'
import { readClient } from './clients.ts'

interface Host extends AsyncDisposable {
  url: (path: string) => string
  /** What is answered, by path. */
  documents: Map<string, string>
  asked: string[]
  ca: string
}

/** A host with metadata documents; its certificate is for its name. */
const host = fixture(async (): Promise<Host> => {
  const { cert, key } = makeCertificate('program.test')
  const documents = new Map<string, string>()
  const asked: string[] = []
  const server = createServer({ cert, key }, (request, response) => {
    asked.push(request.url ?? '')
    const text = documents.get(request.url ?? '')
    if (text === undefined) response.writeHead(302, { location: '/client.json' }).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  const port = await listenOnLoopback(server)
  return {
    url: (path) => `https://program.test:${port}${path}`,
    documents,
    asked,
    ca: cert,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
})

const local = 'http://127.0.0.1/callback'
/** Clients with a document have no rows. */
const noDatabase = undefined as never
const redirect_uris = ['https://program.test/callback']

/** Publishes a document; returns its address. */
function publish(path: string, fields: object = {}): string {
  const url = host.url(path)
  host.documents.set(
    path,
    JSON.stringify({ client_id: url, client_name: 'Program', redirect_uris, ...fields }),
  )
  return url
}

describe('the metadata document of a client', () => {
  const start = () => {
    const outbound = open({ ca: host.ca })
    return {
      documents: new ClientDocuments(outbound, testLimits().clientDocuments),
      [Symbol.asyncDispose]: () => outbound[Symbol.asyncDispose](),
    }
  }

  it('names the client and its redirect addresses, and is read once for many requests', async () => {
    await using started = start()
    const url = publish('/client.json')
    host.asked.length = 0
    const all = await Promise.all(Array.from({ length: 20 }, () => started.documents.read(url)))
    for (const read of all) {
      assert.deepEqual(read, { name: 'Program', redirectUris: redirect_uris })
    }
    await started.documents.read(url)
    assert.deepEqual(host.asked, ['/client.json'])
  })

  it('is refused if it is not its own, asks for a secret, is no JSON, is too large, or moved', async () => {
    await using started = start()
    const refused = (url: string, why: RegExp) =>
      assert.rejects(started.documents.read(url), { code: 'invalid_client', message: why })
    await refused(
      publish('/other', { client_id: host.url('/client.json') }),
      /client_id is not its own/,
    )
    await refused(
      publish('/secret', { token_endpoint_auth_method: 'private_key_jwt' }),
      /has to be none/,
    )
    host.documents.set('/text', 'not JSON')
    await refused(host.url('/text'), /is not JSON/)
    await refused(publish('/large', { logo_uri: 'x'.repeat(20_000) }), /more than 16384 bytes/)
    host.asked.length = 0
    await refused(host.url('/moved'), /status 302/)
    await refused(host.url('/moved'), /status 302/)
    assert.deepEqual(host.asked, ['/moved'], 'a failure is cached')
  })

  it('proves the host that it is on, whatever the client calls itself', async () => {
    await using started = start()
    const url = publish('/client.json', { client_name: 'Claude', redirect_uris: [local] })
    const read = (asked: string) => readClient(noDatabase, started.documents, url, asked)
    const { name, host: shown, kind } = await read('http://127.0.0.1:61000/callback')
    assert.deepEqual([name, shown, kind], ['Claude', new URL(url).host, 'document'])
    for (const asked of redirect_uris) {
      await assert.rejects(read(asked), /redirect address is not one/)
    }
  })

  it('is on a public host or an allowed one, at a plain https address with a path', async () => {
    await using closed = start()
    for (const url of [
      'https://program.test/',
      'https://ada@program.test/client.json',
      'https://program.test/client.json#x',
      'https://program.test/a/../client.json',
      `https://program.test/${'x'.repeat(600)}`,
    ]) {
      await assert.rejects(closed.documents.read(url), /expected an https address with a path/)
    }
    await using outbound = open({ ca: host.ca, allowedNetworks: parseAllowedNetworks('') })
    const guarded = new ClientDocuments(outbound, testLimits().clientDocuments)
    const url = publish('/client.json')
    host.asked.length = 0
    for (const one of [url, 'https://169.254.169.254/latest/meta-data']) {
      await assert.rejects(guarded.read(one), { code: 'invalid_client', message: /cannot be read/ })
    }
    assert.deepEqual(host.asked, [])
  })
})
