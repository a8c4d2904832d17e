import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { addBasics, baseOptions } from './base-server.ts'
import { addConsole } from './console.ts'

let folder: string
let app: FastifyInstance

const script = 'console.log("muster")'

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-console-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<title>Muster</title>')
  await writeFile(join(folder, 'assets/main-abc.js'), script)
  await writeFile(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(script))
  await writeFile(join(folder, 'assets/main-abc.js.gz'), gzipSync(script))
  app = await serverOf(folder)
})
after(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

async function serverOf(folder: string): Promise<FastifyInstance> {
  const app = fastify(baseOptions)
  addBasics(app)
  app.get('/v1/runs/:id', () => ({ data: {} }))
  app.post('/v1/runs/:id/retry', () => ({ data: {} }))
  await addConsole(app, folder)
  return app
}

const html = { accept: 'text/html,*/*;q=0.8' }
const get = (url: string, headers: Record<string, string> = html) =>
  app.inject({ method: 'GET', url, headers })

describe('the console', () => {
  it('is at / and at every address that a browser opens', async () => {
    for (const url of ['/', '/inbox/pnd_1?x=1', '/runs/run_1', '/nothing/of/the/kind']) {
      const answer = await get(url)
      assert.equal(answer.statusCode, 200, url)
      assert.equal(answer.body, '<title>Muster</title>', url)
      assert.equal(answer.headers['cache-control'], 'no-cache')
    }
  })

  it('leaves the addresses of the API and of programs alone', async () => {
    for (const url of ['/v1/nothing', '/v1', '/docs/nothing', '/metrics', '/assets/gone.js']) {
      const answer = await get(url)
      assert.equal(answer.statusCode, 404, url)
      assert.equal(answer.json().error.code, 'route_not_found', url)
    }
    assert.equal((await get('/inbox', { accept: 'application/json' })).statusCode, 404)
    assert.equal((await get('/v1/runs/run_1/retry')).statusCode, 405)
    const answer = await app.inject({ method: 'POST', url: '/inbox', headers: html })
    assert.equal(answer.statusCode, 404)
  })

  it('may load only what comes with it, in a frame of nobody', async () => {
    const { headers } = await get('/')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'self'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })

  it('sends what the browser reads best, and files with a hash in their name once', async () => {
    const url = '/assets/main-abc.js'
    const codings: [string, string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['gzip, br;q=0', 'gzip'],
      ['identity', undefined],
    ]
    for (const [accepted, expected] of codings) {
      const answer = await get(url, { 'accept-encoding': accepted })
      assert.equal(answer.headers['content-encoding'], expected, accepted)
      assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(answer.headers['vary'], 'accept-encoding')
    }
    assert.equal((await get(url, {})).body, script)
  })

  it('answers 304 to who has it already', async () => {
    const { headers } = await get('/')
    const again = await get('/', { ...html, 'if-none-match': String(headers['etag']) })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
    assert.equal((await get('/', { ...html, 'if-none-match': '"other"' })).statusCode, 200)
  })

  it('says how to build it where it is not built', async () => {
    const bare = await serverOf(join(folder, 'nothing'))
    const answer = await bare.inject({ method: 'GET', url: '/' })
    assert.equal(answer.statusCode, 404)
    assert.match(answer.body, /npm run console:build/)
    assert.equal((await bare.inject({ method: 'GET', url: '/v1/runs/run_1' })).statusCode, 200)
    await bare.close()
  })
})
