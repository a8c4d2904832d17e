import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { makeCertificate } from '../rig/certificate.ts'
import { closeServer, listenOnLoopback } from '../rig/loopback.ts'
import { startProxy } from '../rig/proxy.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'

it('calls go through the proxy of the environment with NODE_USE_ENV_PROXY=1, as the docs say', async () => {
  await using proxy = await startProxy()
  await using folder = await makeScratchFolder()
  // The name has no address: only the proxy, which goes to this machine, can reach it.
  const certificate = makeCertificate('muster.test')
  const server = createServer(certificate, (_, response) => response.end('{"data":{"id":"acc_1"}}'))
  const port = await listenOnLoopback(server)
  try {
    const authority = join(folder.path, 'ca.pem')
    await writeFile(authority, certificate.cert)
    const script = `
      import { Muster } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))}
      const baseUrl = 'https://muster.test:${port}'
      const muster = new Muster({ apiKey: 'x', baseUrl, maxRetries: 0 })
      console.log(await muster.account.retrieve().then(({ id }) => id, ({ code }) => code))`
    const call = async (more: Record<string, string>): Promise<string> => {
      const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`
      const env = { HTTPS_PROXY, NODE_EXTRA_CA_CERTS: authority, ...more }
      const args = ['--input-type=module', '--eval', script]
      return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim()
    }
    assert.equal(await call({ NODE_USE_ENV_PROXY: '1' }), 'acc_1')
    assert.deepEqual(
      proxy.asked.map(({ authority }) => authority),
      [`muster.test:${port}`],
    )
    assert.equal(await call({}), 'unreachable')
    assert.equal(proxy.asked.length, 1)
  } finally {
    await closeServer(server)
  }
})
