import { isDeepStrictEqual } from 'node:util'
import { until } from '../../rig/until.ts'
import { hasShared } from './shared.ts'

/**
 * Detects changes of the process that a test file did not undo, because other files run there after
 * it: compares a snapshot from before the file with one from after it.
 */
type Copy = Record<string, unknown>

/** Handles close a moment after their owners. */
const patienceMs = 10_000

/** Takes a snapshot; the returned function compares, and names leaks. */
export function watchLeaks(): () => Promise<string[]> {
  const env = { ...process.env }
  const cwd = process.cwd()
  const before = { ...copyGlobals(), ...copyListeners() }
  const handles = countHandles()
  return async () => {
    const after: Copy = { ...copyGlobals(), ...(hasShared() ? {} : copyListeners()) }
    const leaks = Object.keys(after).filter((name) => !isDeepStrictEqual(after[name], before[name]))
    for (const name of new Set([...Object.keys(env), ...Object.keys(process.env)])) {
      if (process.env[name] === env[name]) continue
      leaks.push(`another value of the variable ${name}`)
      // Restored, so that later files do not fail as well.
      if (env[name] === undefined) delete process.env[name]
      else process.env[name] = env[name]
    }
    if (process.cwd() !== cwd) leaks.push(`another working directory, ${process.cwd()}`)
    process.chdir(cwd)
    if (hasShared()) return leaks
    const findOpen = (): string[] =>
      Object.entries(countHandles())
        .map(([kind, count]) => ({ kind, more: count - (handles[kind] ?? 0) }))
        .flatMap(({ kind, more }) => (more > 0 ? [`${more} ${kind} open`] : []))
    await until('handles are closed', patienceMs, () => findOpen().length === 0).catch(() => {})
    return [...leaks, ...findOpen()]
  }
}

function copyGlobals(): Record<string, unknown> {
  const globals = replaceable.map((name) => [`another ${name}`, Reflect.get(globalThis, name)])
  return {
    'another performance.now': Reflect.get(performance, 'now'),
    'another Math.random': Reflect.get(Math, 'random'),
    ...Object.fromEntries(globals),
  }
}

function copyListeners(): Record<string, unknown> {
  return Object.fromEntries(
    events.map((name) => [`listeners of ${name}`, process.listeners(name as 'SIGINT')]),
  )
}

/** Counts handles that keep the process running. */
function countHandles(): Record<string, number> {
  const kinds = process.getActiveResourcesInfo().filter((kind) => owned.has(kind))
  return Object.fromEntries(
    Object.entries(Object.groupBy(kinds, (kind) => kind)).map(([kind, all]) => [
      kind,
      all?.length ?? 0,
    ]),
  )
}

const owned = new Set(['TCPServerWrap', 'TCPSocketWrap', 'ProcessWrap', 'FSEventWrap', 'Worker'])
const events = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGUSR2',
  'uncaughtException',
  'unhandledRejection',
  'warning',
  'disconnect',
]
const replaceable = [
  'fetch',
  'Date',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
  'crypto',
  'console',
]
