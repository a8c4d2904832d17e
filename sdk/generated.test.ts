import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { openApiDocument } from '../server/start/openapi-document.ts'
import { startTestApp } from '../test/test-app.ts'
import { commandsFile, generate, generatedFile, pythonFile, readmeFile } from './generate.ts'
import { Muster } from './index.ts'

describe('the generated client', () => {
  it('generated.ts is what the server of this build makes', async () => {
    const { source, readme, commands, python } = await generate()
    assert.equal(await readFile(generatedFile, 'utf8'), source, 'stale: run `npm run sdk`')
    assert.equal(await readFile(commandsFile, 'utf8'), commands, 'stale: run `npm run sdk`')
    assert.equal(await readFile(pythonFile, 'utf8'), python, 'stale: run `npm run sdk`')
    assert.equal(await readFile(readmeFile, 'utf8'), readme, 'stale: run `npm run sdk`')
  })

  it('the README has every method, the ones written by hand included', async () => {
    const readme = await readFile(readmeFile, 'utf8')
    const methods = methodsOf(new Muster({}), 'muster')
    assert.ok(methods.length > 80)
    for (const method of methods) {
      assert.ok(readme.includes(`${method}(`), `sdk/README.md has no ${method}(…)`)
    }
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

/**
 * The paths of all public methods, such as `muster.runs.create`, found by walking the object's
 * fields.
 */
function methodsOf(owner: object, path: string): string[] {
  const methods: string[] = []
  for (let at: object = owner; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    methods.push(...Object.getOwnPropertyNames(at).filter((name) => isMethod(at, name)))
  }
  const fields = Object.entries(owner).filter(([name]) => name !== 'transport')
  return [
    ...methods.map((name) => `${path}.${name}`),
    ...fields.flatMap(([name, field]) => methodsOf(field as object, `${path}.${name}`)),
  ]
}

function isMethod(owner: object, name: string): boolean {
  return name !== 'constructor' && typeof Reflect.get(owner, name) === 'function'
}
