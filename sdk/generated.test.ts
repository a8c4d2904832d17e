import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { openApiDocument } from '../server/start/openapi-document.ts'
import { startTestApp } from '../test/test-app.ts'
import { generate, generatedFile } from './generate.ts'

describe('the generated client', () => {
  it('generated.ts is what the server of this build makes', async () => {
    const stored = await readFile(generatedFile, 'utf8')
    assert.equal(stored, await generate(), 'stale: run `npm run sdk`')
  })

  it('the document without a service is the one that a service shows', async () => {
    await using app = await startTestApp({
      role: 'api',
      env: { MUSTER_PUBLIC_URL: 'http://127.0.0.1:3000' },
    })
    const { body } = await app.call('GET', '/openapi.json')
    assert.deepEqual(JSON.parse(JSON.stringify(await openApiDocument())), body)
  })
})
