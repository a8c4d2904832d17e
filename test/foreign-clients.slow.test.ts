import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { makeFolder } from '../cli/test-cli.ts'
import { isMissing } from './is-missing.ts'
import { echo, startTestApp, type TestApp } from './test-app.ts'

/**
 * Clients made by other projects' generators from the document of a running service: they compile
 * with the strictest types, create, page and read errors. The generators come from the registries of
 * their languages; a client whose language is not installed is skipped.
 */
const generators = {
  'openapi-fetch': 'openapi-typescript openapi.json -o generated/openapi-fetch/schema.ts',
  'hey-api':
    'openapi-ts -i openapi.json -o generated/hey-api --no-log-file -c @hey-api/client-fetch',
  'swagger-typescript-api':
    'swagger-typescript-api generate --path openapi.json -o generated/swagger-typescript-api --name api.ts',
}

const openApiGenerator = 'org.openapitools:openapi-generator-cli:7.17.0'
const oapiCodegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'

describe('generated clients of others', () => {
  let app: TestApp
  let folder: Awaited<ReturnType<typeof makeFolder>>

  const runIn = async (place: string, program: string, ...args: string[]): Promise<string> => {
    const cwd = join(folder.path, place)
    const options = { cwd, timeout: 240_000, maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(program, args, options).catch((error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
    })
    return stdout
  }
  const run = (program: string, ...args: string[]): Promise<string> => runIn('', program, ...args)

  before(async () => {
    app = await startTestApp({ answer: echo })
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

  it('typescript-fetch triggers a run and reads it', async (t) => {
    if (await isMissing(t, ['java', '-version'], ['mvn', '--version'])) return
    const [, name, version] = openApiGenerator.split(':')
    const copy = ['dependency:copy', `-Dartifact=${openApiGenerator}`, '-DoutputDirectory=.']
    await run('mvn', '--batch-mode', '--quiet', ...copy)
    const given = ['generate', '-g', 'typescript-fetch', '-i', 'openapi.json']
    const jar = `${name}-${version}.jar`
    await run('java', '-jar', jar, ...given, '-o', 'typescript-fetch/generated')
    await run('node_modules/.bin/tsc', '-p', 'typescript-fetch')
    const built = join(folder.path, 'typescript-fetch', 'built')
    await writeFile(join(built, 'package.json'), '{"type":"commonjs"}')
    const { exercise } = await import(join(built, 'exercise.js'))
    const result = await exercise({ baseUrl: app.url, apiKey: app.key })
    assert.deepEqual(result, expectedFrom('typescript-fetch'))
  })

  it('a Python client triggers a run and reads it', async (t) => {
    if (await isMissing(t, ['python3', '-m', 'venv', '--help'])) return
    await runIn('python', 'python3', '-m', 'venv', 'venv')
    await runIn('python', 'venv/bin/pip', 'install', '--quiet', '-r', 'requirements.txt')
    const given = ['generate', '--path', '../openapi.json', '--output-path', 'client']
    await runIn('python', 'venv/bin/openapi-python-client', ...given, '--meta', 'none')
    await runIn('python', 'venv/bin/mypy', '--strict', 'exercise.py')
    const printed = await runIn('python', 'venv/bin/python', 'exercise.py', app.url, app.key)
    assert.deepEqual(JSON.parse(printed), expectedFrom('python'))
  })

  it('a Go client triggers a run and reads it', async (t) => {
    if (await isMissing(t, ['go', 'version'])) return
    await mkdir(join(folder.path, 'go', 'client'))
    const given = ['-generate', 'types,client', '-package', 'client', '../openapi.json']
    await runIn('go', 'go', 'run', oapiCodegen, '-o', 'client/client.go', ...given)
    await runIn('go', 'go', 'vet', './...')
    const printed = await runIn('go', 'go', 'run', '.', app.url, app.key)
    assert.deepEqual(JSON.parse(printed), expectedFrom('go'))
  })
})

/** What each program reports of its run and of a run that does not exist. */
function expectedFrom(name: string): object {
  const output = `echo: from ${name}`
  return { status: 'completed', output, isTime: true, refused: 'not_found' }
}
