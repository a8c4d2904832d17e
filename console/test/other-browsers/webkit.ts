import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { freePort } from '../../../rig/loopback.ts'
import { makeScratchFolder } from '../../../rig/scratch-folder.ts'
import { until } from '../../../rig/until.ts'
import { fileField, findProgram, type OtherBrowser } from './browser.ts'

const driver = findProgram('/usr/bin/WebKitWebDriver')
const display = findProgram('/usr/bin/Xvfb')

/** What is missing to start WebKit; undefined if nothing is. */
export const webkitLacks =
  driver === undefined
    ? 'webkit2gtk-driver is not installed'
    : display === undefined
      ? 'xvfb is not installed, and WebKitGTK needs a display'
      : undefined

export async function startWebkit(): Promise<OtherBrowser> {
  assert.ok(driver && display)
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await makeScratchFolder())
  const screen = ['-displayfd', '3', '-screen', '0', '1440x1000x24', '-nolisten', 'tcp']
  const xvfb = spawn(display, screen, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  stack.defer(() => end(xvfb))
  const [number] = (await once(xvfb.stdio[3] as Readable, 'data')) as [Buffer]
  const port = await freePort()
  const webkit = spawn(driver, ['--host=127.0.0.1', `--port=${port}`], {
    env: {
      ...process.env,
      HOME: home.path,
      DISPLAY: `:${number.toString().trim()}`,
      // Without user namespaces, as in a container, WebKit does not start in its sandbox.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
    stdio: 'ignore',
  })
  stack.defer(() => end(webkit))
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { value } = (await response.json()) as { value: unknown }
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`)
    return value
  }
  await until('WebKitWebDriver', 15_000, () => send('GET', '/status').then(Boolean, () => false))
  const { sessionId } = (await send('POST', '/session', { capabilities: {} })) as {
    sessionId: string
  }
  const session = `/session/${sessionId}`
  stack.defer(async () => void (await send('DELETE', session)))
  await send('POST', `${session}/window/rect`, { width: 1280, height: 860 })
  const all = stack.move()
  return {
    open: async (url) => void (await send('POST', `${session}/url`, { url })),
    call: async (source, ...args) =>
      send('POST', `${session}/execute/sync`, {
        script: `return (${source})(...arguments)`,
        args,
      }),
    act: async (actions) => void (await send('POST', `${session}/actions`, { actions })),
    chooseFile: async (path) => {
      const found = await send('POST', `${session}/element`, {
        using: 'css selector',
        value: fileField,
      })
      const [id] = Object.values(found as Record<string, string>)
      await send('POST', `${session}/element/${id}/value`, { text: path })
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
