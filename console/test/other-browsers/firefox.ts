import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { makeScratchFolder } from '../../../rig/scratch-folder.ts'
import { fileField, findProgram, type OtherBrowser } from './browser.ts'

const program = findProgram('/usr/bin/firefox-esr', '/usr/bin/firefox')

/** What is missing to start Firefox; undefined if nothing is. */
export const firefoxLacks = program === undefined ? 'firefox-esr is not installed' : undefined

export async function startFirefox(): Promise<OtherBrowser> {
  assert.ok(program)
  await using stack = new AsyncDisposableStack()
  const profile = stack.use(await makeScratchFolder())
  const firefox = spawn(
    program,
    ['--headless', '--no-remote', '--profile', profile.path, '--remote-debugging-port', '0'],
    { env: { ...process.env, HOME: profile.path }, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = once(firefox, 'exit')
  stack.defer(async () => {
    firefox.kill()
    await ended
  })
  const send = stack.use(await connect(await findAddress(firefox.stderr)))
  await send('session.new', { capabilities: {} })
  const { contexts } = (await send('browsingContext.getTree', {})) as {
    contexts: { context: string }[]
  }
  const context = contexts[0]?.context
  const call: OtherBrowser['call'] = async (source, ...args) => {
    // The answer is JSON, because BiDi describes values in a format of its own.
    const functionDeclaration = `async (args) => JSON.stringify(await (${source})(...JSON.parse(args)) ?? null)`
    const given = [{ type: 'string', value: JSON.stringify(args) }]
    const answer = (await send('script.callFunction', {
      functionDeclaration,
      arguments: given,
      target: { context },
      awaitPromise: true,
    })) as { result?: { value: string }; exceptionDetails?: { text: string } }
    if (answer.result === undefined) throw new Error(answer.exceptionDetails?.text)
    return JSON.parse(answer.result.value)
  }
  const all = stack.move()
  return {
    call,
    open: async (url) => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    act: async (actions) => {
      await send('input.performActions', { context, actions })
    },
    chooseFile: async (path) => {
      const { nodes } = (await send('browsingContext.locateNodes', {
        context,
        locator: { type: 'css', value: fileField },
      })) as { nodes: { sharedId: string }[] }
      const element = { sharedId: nodes[0]?.sharedId }
      await send('input.setFiles', { context, element, files: [path] })
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function findAddress(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [, address] = /WebDriver BiDi listening on (\S+)/.exec(line) ?? []
    if (address !== undefined) {
      stderr.resume()
      return address
    }
  }
  throw new Error('Firefox ended before it listened')
}

interface Send extends Disposable {
  (method: string, params: unknown): Promise<unknown>
}

/** Commands over the browser's WebSocket; each answer carries the number of its command. */
async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(`${address}/session`)
  await once(socket, 'open')
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as { id?: number; result?: unknown; message?: string }
    const command = open.get(answer.id ?? -1)
    if (answer.result === undefined) command?.reject(new Error(answer.message))
    else command?.resolve(answer.result)
  })
  socket.addEventListener('close', () => {
    for (const { reject } of open.values()) reject(new Error('Firefox closed its socket'))
  })
  let count = 0
  const send = async (method: string, params: unknown): Promise<unknown> => {
    const id = ++count
    const command = Promise.withResolvers<unknown>()
    open.set(id, command)
    socket.send(JSON.stringify({ id, method, params }))
    return command.promise.finally(() => open.delete(id))
  }
  return Object.assign(send, { [Symbol.dispose]: () => socket.close() })
}
