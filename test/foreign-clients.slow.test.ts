import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { makeFolder } from '../cli/test-cli.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/**
 * Clients made by other projects' generators from the document of a running service: they compile
 * with the strictest types, create, page and read errors. The generators come from the npm
 * registry.
 */
const generators = {
  'openapi-fetch': 'openapi-typescript openapi.json -o generated/openapi-fetch/schema.ts',
  'hey-api':
    'openapi-ts -i openapi.json -o generated/hey-api --no-log-file -c @hey-api/client-fetch',
  'swagger-typescript-api':
    'swagger-typescript-api generate --path openapi.json -o generated/swagger-typescript-api --name api.ts',
}

describe('generated clients of others', () => {
  let app: TestApp
  let folder: Awaited<ReturnType<typeof makeFolder>>

  const run = async (program: string, ...args: string[]): Promise<void> => {
    const options = { cwd: folder.path, timeout: 240_000, maxBuffer: 64 * 1024 * 1024 }
    await promisify(execFile)(program, args, options).catch((error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
    })
  }

  before(async () => {
    app = await startTestApp({ role: 'api' })
    folder = await makeFolder()
    await cp(join(import.meta.dirname, 'foreign-clients'), folder.path, { recursive: true })
    await run('npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund')
    const { body } = await app.call('GET', '/openapi.json')
    await writeFile(join(folder.path, 'openapi.json'), JSON.stringify(body))
    for (const command of Object.values(generators)) {
      const [program = '', ...args] = command.split(' ')
      await run(`node_modules/.bin/${program}`, ...args)
    }
    await run('node_modules/.bin/tsc')
    await writeFile(join(folder.path, 'built', 'package.json'), '{"type":"commonjs"}')
  })
  after(async () => {
    await app[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  for (const name of Object.keys(generators)) {
    it(`${name} creates, pages and reads errors`, async () => {
      const { exercise } = await import(join(folder.path, 'built', `${name}.js`))
      const names = await exercise({ baseUrl: app.url, apiKey: app.key })
      assert.deepEqual(names.slice(0, 3), ['c', 'b', 'a'])
    })
  }
})
