import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import chromium from '@sparticuz/chromium'
import { chromium as browserType } from 'playwright-core'
import { startTestApp, type TestApp } from '../test-app.ts'
import {
  findMachineNode,
  installPackage,
  makeUserFolder,
  root,
  userEnv,
  type Folder,
} from './install.ts'
import type { Exercise } from './sdk-exercise.ts'

const machineNode = await findMachineNode()
const expected = [
  'trigger and stream',
  'wait',
  'upload',
  'list files',
  'download',
  'download a range',
  'trigger with files',
  'delete files',
  'pages by the Link header',
  'errors',
  'no redirect is followed',
  'verify',
  'refuse a changed webhook',
]

describe('the packed SDK, installed in an empty folder', () => {
  let folder: Folder
  let app: TestApp
  let pages: Server
  let task: Exercise

  before(async () => {
    folder = await installPackage('sdk')
    pages = createServer((request, response) => {
      void answer(folder, app.url, request.url ?? '').then(({ status, headers, body }) =>
        response.writeHead(status, headers).end(body),
      )
    })
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    app = await startTestApp({
      env: { MUSTER_DEFAULT_MODEL: 'muster/demo', MUSTER_CORS_ORIGINS: origin },
    })
    task = { baseUrl: app.url, apiKey: app.key, redirectUrl: `${origin}/redirect` }
    await cp(join(import.meta.dirname, 'sdk-exercise.ts'), join(folder.path, 'exercise.ts'))
    await writeFile(join(folder.path, 'readme.ts'), await readmeExample())
    await writeFile(join(folder.path, 'package.json'), '{"type":"module"}')
  })
  after(async () => {
    pages.close()
    await app[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  it('compiles in programs of others under tsc --strict', async () => {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const types = ['--typeRoots', join(root, 'node_modules', '@types'), '--types', 'node']
    const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom']
    const files = ['exercise.ts', 'readme.ts']
    await folder.run(process.execPath, [compiler, '--strict', ...target, ...types, ...files])
  })

  it('is required by CommonJS programs, and compiles in theirs', async () => {
    await using program = await makeUserFolder()
    await cp(join(folder.path, 'node_modules'), join(program.path, 'node_modules'), {
      recursive: true,
    })
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const source = `import { Muster, type RunEvent } from '@muster-run/sdk'
const muster = new Muster({ apiKey: 'x' })
const tokens = (event: RunEvent) => (event.type === 'step.completed' ? event.data.tokens_in : 0)
console.log(typeof muster.runs.create, typeof tokens, require.resolve('@muster-run/sdk'))`
    await writeFile(
      join(program.path, 'main.cts'),
      `declare const require: { resolve(name: string): string }\n${source}`,
    )
    const target = ['--target', 'es2022', '--module', 'node16', '--lib', 'es2022,dom']
    await program.run(process.execPath, [compiler, '--strict', ...target, 'main.cts'])
    const files = [process.execPath, ...(machineNode === undefined ? [] : [machineNode])]
    // As on a Node that cannot require ES modules, such as 20.0.
    const flag = '--no-experimental-require-module'
    for (const file of files) {
      const output = await program.run(file, [flag, 'main.cjs'])
      assert.match(output, /^function function .*commonjs/)
    }
  })

  const nodes = [
    { name: 'the pinned Node', file: process.execPath, skip: false as const },
    {
      name: 'the Node of this machine',
      file: machineNode ?? '',
      skip: machineNode === undefined ? 'this machine has no Node of its own from 20 on' : false,
    },
  ]
  for (const { name, file, skip } of nodes) {
    it(`does all its work on ${name}`, { skip }, async () => {
      const script =
        "import('./exercise.js').then((module) => module.exercise(JSON.parse(process.argv[1])))" +
        '.then((done) => console.log(JSON.stringify(done)))'
      const output = await folder.run(file, ['--eval', script, JSON.stringify(task)])
      assert.deepEqual(JSON.parse(output), expected)
    })

    it(`runs the example of README as plain JavaScript on ${name}`, { skip }, async () => {
      const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
      const output = await folder.run(file, ['readme.js'], env)
      assert.match(output, /run\.queued[^]*run\.completed\ncompleted /)
    })
  }

  it('does all its work in a browser, from a page of another origin', async () => {
    const browser = await browserType.launch({
      executablePath: await chromium.executablePath(),
      args: [...chromium.args, '--no-sandbox'],
      headless: true,
    })
    try {
      const page = await browser.newPage()
      await page.goto(new URL('/', task.redirectUrl).href)
      const module = 'exercise.js'
      const script = `import('/${module}').then(({ exercise }) => exercise(${JSON.stringify(task)}))`
      assert.deepEqual(await page.evaluate(script), expected)
    } finally {
      await browser.close()
    }
  })

  it('has the name that works inside of the repository too', async () => {
    const args = ['--input-type=module', '--eval', await readmeExample()]
    const env = userEnv({ MUSTER_URL: app.url, MUSTER_API_KEY: app.key })
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env })
    assert.match(stdout, /\ncompleted /)
  })
})

/** The example of the README, which is JavaScript. */
async function readmeExample(): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const example = /^```js\n([^]*?)```/m.exec(readme)?.[1]
  assert.ok(example !== undefined)
  return example
}

interface Page {
  status: number
  headers: Record<string, string>
  body: string
}

/** A website that uses the SDK without a bundler, and an address that redirects. */
async function answer(folder: Folder, serviceUrl: string, path: string): Promise<Page> {
  if (path.startsWith('/redirect/')) {
    const location = serviceUrl + path.slice('/redirect'.length)
    return { status: 307, headers: { location }, body: '' }
  }
  if (path === '/') {
    const imports = {
      '@muster-run/sdk': '/node_modules/@muster-run/sdk/dist/index.js',
      'eventsource-parser': '/node_modules/eventsource-parser/dist/index.js',
    }
    const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`
    return { status: 200, headers: { 'content-type': 'text/html' }, body: map }
  }
  const body = await readFile(join(folder.path, path), 'utf8').catch(() => undefined)
  if (body === undefined) return { status: 404, headers: {}, body: '' }
  return { status: 200, headers: { 'content-type': 'text/javascript' }, body }
}
