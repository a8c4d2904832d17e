import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { makeFolder } from '../cli/test-cli.ts'
import { listenOnLoopback } from '../rig/loopback.ts'
import { fixture, prepare } from './fixture.ts'
import { findMachineNode, root } from './packages/install.ts'
import { startTestApp } from './test-app.ts'

/**
 * Tests that the SDK follows a finished run through a proxy that cuts its first two connections
 * after a number of bytes: every event arrives once, in the pinned Node and in the machine's own.
 * Some proxies end the response of a broken connection as if it were whole. Every `step`th byte is
 * tried.
 */
export async function testCuts(step: number): Promise<void> {
  const app = fixture(() => startTestApp())
  const folder = fixture(makeFolder)
  const proxy = fixture(() => startCuttingProxy(app.url))
  const machineNode = await findMachineNode()

  let runId: string
  prepare(async () => {
    runId = (await app.run(await app.createWorkflow())).id
    await writeSdk(folder.path)
  })
  describe('a stream that is cut after any byte', () => {
    const nodes = [
      { name: 'the pinned Node', file: process.execPath, skip: false },
      {
        name: 'the Node of this machine',
        file: machineNode ?? '',
        skip: machineNode === undefined && 'this machine has no Node of its own from 20 on',
      },
    ]
    const follow = async (node: string, field: 'x-cut-after' | 'x-end-after', cuts: number[]) => {
      const expected = (await app.events(runId)).map(({ sequence }) => sequence).join()
      assert.match(expected, /^1,2,3,4,5/)
      assert.ok(cuts.length > 1_000)
      const tried = cuts.filter((_, index) => index % step === 0)
      proxy.forgetCuts()
      const task = { baseUrl: proxy.url, apiKey: app.key, runId, cuts: tried, field, expected }
      const args = ['--input-type=module', '--eval', script, JSON.stringify(task)]
      const { stdout } = await promisify(execFile)(node, args, { cwd: folder.path })
      assert.deepEqual(JSON.parse(stdout), [])
    }
    const answer = () => proxy.answerTo(`/v1/runs/${runId}/events`, app.key)

    for (const { name, file, skip } of nodes) {
      it(`goes on to the last event in ${name}`, { skip }, async () => {
        await follow(file, 'x-cut-after', [...(await answer()).keys()])
      })

      it(
        `goes on to the last event in ${name} behind a proxy that hides the cut`,
        { skip },
        async () => {
          const { body } = toParts(await answer())
          // A response that ends before the first event, but not amid one, has nothing that is new.
          const cuts = [...body.keys()].filter((cut) => cut !== ': open\n\n'.length)
          await follow(file, 'x-end-after', cuts)
        },
      )
    }
  })
}

/** Writes the SDK as JavaScript, since the machine's Node may not read TypeScript. */
async function writeSdk(folder: string): Promise<void> {
  await mkdir(join(folder, 'sdk'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  for (const name of globSync('*.ts', { cwd: join(root, 'sdk'), exclude: ['*.test.ts'] })) {
    const code = stripTypeScriptTypes(await readFile(join(root, 'sdk', name), 'utf8'))
    const plain = code.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")
    await writeFile(join(folder, 'sdk', name.replace(/\.ts$/, '.js')), plain)
  }
}

/** Follows the run with the connections cut after each number of bytes; prints what went wrong. */
const script = `
  import { Muster } from './sdk/index.js'
  const { baseUrl, apiKey, runId, cuts, field, expected } = JSON.parse(process.argv[1])
  const { runs } = new Muster({ apiKey, baseUrl })
  const wrong = []
  const follow = async () => {
    for (let cut = cuts.pop(); cut !== undefined; cut = cuts.pop()) {
      const seen = []
      try {
        for await (const event of runs.stream(runId, { headers: { [field]: String(cut) } }))
          seen.push(event.sequence)
      } catch (error) {
        seen.push(String(error))
      }
      if (seen.join() !== expected) wrong.push(cut + ': ' + seen.join())
    }
  }
  await Promise.all(Array.from({ length: 400 }, follow))
  console.log(JSON.stringify(wrong))`

interface CuttingProxy extends AsyncDisposable {
  url: string
  /** The bytes of an answer, with its headers. */
  answerTo: (path: string, key: string) => Promise<Buffer>
  forgetCuts: () => void
}

/**
 * Answers each request as the service answered its like the first time. The first two streams with
 * the same `x-cut-after` break after that many bytes, those with `x-end-after` end after that many
 * bytes of the body.
 */
async function startCuttingProxy(serviceUrl: string): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  const answers = new Map<string, Promise<Buffer>>()
  const cuts = new Map<string | undefined, number>()
  const fieldOf = (head: string, name: string): string | undefined =>
    new RegExp(`^${name}: *(.*?)\r?$`, 'im').exec(head)?.[1]
  const answerTo = (head: string): Promise<Buffer> => {
    const [line = ''] = head.split('\r\n')
    const like = `${line} ${fieldOf(head, 'last-event-id')}`
    return answers.getOrInsertComputed(like, () => ask(serviceUrl, head))
  }
  const reply = async (socket: Socket, head: string): Promise<void> => {
    const answer = await answerTo(head)
    const isStream = /^GET \S+\/events /.test(head)
    const [cut, end] = ['x-cut-after', 'x-end-after'].map((name) => fieldOf(head, name))
    const after = cut ?? end
    const count = cuts.get(after) ?? 0
    if (!isStream || after === undefined || count === 2) return void socket.write(answer)
    cuts.set(after, count + 1)
    if (end === undefined) return void socket.end(answer.subarray(0, Number(cut)))
    const { head: fields, body } = toParts(answer)
    const kept = body.subarray(0, Number(end)).toString('latin1')
    const chunk = kept === '' ? '' : `${kept.length.toString(16)}\r\n${kept}\r\n`
    socket.write(`${fields}\r\n\r\n${chunk}0\r\n\r\n`, 'latin1')
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    let asked = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      asked += text
      if (!asked.endsWith('\r\n\r\n')) return
      void reply(socket, asked)
      asked = ''
    })
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    forgetCuts: () => cuts.clear(),
    answerTo: (path, key) =>
      answerTo(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nlast-event-id: 0\r\n\r\n`,
      ),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The bytes of the whole answer to a request. */
async function ask(serviceUrl: string, head: string): Promise<Buffer> {
  const { hostname, port } = new URL(serviceUrl)
  const socket = connect(Number(port), hostname)
  socket.write(head)
  const parts: Buffer[] = []
  for await (const part of socket) {
    parts.push(part as Buffer)
    const [headers = '', body = ''] = Buffer.concat(parts)
      .toString('latin1')
      .split(/\r\n\r\n(.*)/s)
    const length = /^content-length: (\d+)/im.exec(headers)?.[1]
    if (length === undefined ? body.endsWith('0\r\n\r\n') : body.length === Number(length)) break
  }
  socket.destroy()
  return Buffer.concat(parts)
}

/** The headers of an answer, and its body without the lengths of the chunks. */
function toParts(answer: Buffer): { head: string; body: Buffer } {
  const [head = '', chunks = ''] = answer.toString('latin1').split(/\r\n\r\n(.*)/s)
  const body = chunks.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '').replace(/\r\n$/, '')
  return { head, body: Buffer.from(body, 'latin1') }
}
