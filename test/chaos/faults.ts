import { setTimeout as delay } from 'node:timers/promises'
import { signalTo, type Ground, type Node } from './ground.ts'
import type { Fault, FaultKind } from './schedule.ts'
import type { Slot } from './slot.ts'
import type { Stranger } from './stranger.ts'

/** Applies faults, each at its time; counts those that had a target. */
export interface FaultTargets {
  slots: readonly Slot[]
  stranger: Stranger
  tables: readonly string[]
  ground: Ground
  /** Copies the database beside itself, and lets a process of Muster run on the copy for this time. */
  runCopy: (ms: number) => Promise<void>
  /** Called while a node is unavailable, for checks. */
  withoutNode?: (kind: FaultKind, node: Node) => Promise<void>
  /** Triggers this many runs at once. */
  burst: (count: number) => void
  log: (line: string) => void
}

/** After this time another worker takes the runs of a paused one, by default. */
const leaseSeconds = 4
const terminated = { count: 300, ms: 6_000 }

/** Applies overlapping faults; resolves when the last one has ended. */
export async function playStorm(
  storm: readonly Fault[],
  targets: FaultTargets,
  done: Map<FaultKind, number>,
  signal: AbortSignal,
): Promise<void> {
  const beganAt = performance.now()
  const playing: Promise<unknown>[] = []
  for (const fault of storm) {
    await delay(Math.max(0, fault.atMs - (performance.now() - beganAt)), undefined, { signal })
    playing.push(play(fault, targets, done))
  }
  await Promise.all(playing)
}

/** Resolves when the fault has ended; returns its target, or undefined if there was none. */
export async function play(
  fault: Fault,
  targets: FaultTargets,
  done: Map<FaultKind, number>,
): Promise<string | undefined> {
  const hit = await act(fault, targets)
  if (hit !== undefined) done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1)
  return hit
}

async function act(
  { kind, place, size, seconds }: Fault,
  { slots, stranger, tables, ground, runCopy, withoutNode, burst, log }: FaultTargets,
): Promise<string | undefined> {
  const ms = 1_000 * seconds
  const between = (least: number, most: number): number => 1_000 * (least + (most - least) * size)
  const pauseMs = between(leaseSeconds + 1, 20)
  const all = slots.map(({ proxy }) => proxy)
  /** The first running process, from an index on. */
  const hit = async (
    role: Slot['role'] | undefined,
    harm: (slot: Slot) => unknown,
    lastsMs = 0,
  ): Promise<string | undefined> => {
    const able = slots.filter((slot) => role === undefined || slot.role === role)
    const first = Math.floor(place * able.length)
    const slot = [...able.slice(first), ...able.slice(0, first)].find((one) => one.up())
    if (slot === undefined) return undefined
    await harm(slot)
    await delay(lastsMs)
    return slot.name
  }
  const lasts = async (lastsMs: number): Promise<string> => {
    await delay(lastsMs)
    return 'all processes'
  }
  /** A stranger that another fault hits cannot do more. */
  const over = async (harm: Promise<void>, what = 'the database'): Promise<string | undefined> => {
    try {
      await harm
      return what
    } catch (error) {
      log(`${kind} of ${what} was cut short: ${String(error)}`)
      return undefined
    }
  }
  switch (kind) {
    case 'kill-worker':
      return hit('worker', (slot) => slot.end('kill'))
    case 'kill-api':
      return hit('api', (slot) => slot.end('kill'))
    case 'stop-process':
      return hit(undefined, (slot) => slot.end('stop'))
    case 'pause-worker':
      return hit('worker', (slot) => slot.pause(pauseMs), pauseMs)
    case 'pause-process':
      return hit(undefined, (slot) => slot.pause(between(0.5, 6)), between(0.5, 6))
    // Its owner restarts it.
    case 'kill-database':
      return ground.end('SIGKILL')
    case 'restart-database':
      return ground.end('SIGINT')
    case 'kill-node':
    case 'hang-node': {
      const node = ground.nodes[Math.floor(place * ground.nodes.length + 1e-9)]
      if (node === undefined) return undefined
      const harm = kind === 'kill-node' ? node.lose(ms) : node.hang(ms)
      const [hitNode] = await Promise.all([harm, withoutNode?.(kind, node)])
      return hitNode
    }
    case 'cut-process':
      return hit(undefined, ({ proxy }) => proxy.cut())
    case 'cut-all':
      all.forEach((proxy) => proxy.cut())
      return lasts(0)
    case 'stall-process':
      return hit(undefined, ({ proxy }) => proxy.stall(between(1, 20)), between(1, 20))
    case 'stall-all':
      all.forEach((proxy) => proxy.stall(between(1, 6)))
      return lasts(between(1, 6))
    case 'refuse-process':
      return hit(undefined, ({ proxy }) => proxy.refuse(between(1, 15)), between(1, 15))
    case 'refuse-all':
      all.forEach((proxy) => proxy.refuse(between(1, 6)))
      return lasts(between(1, 6))
    case 'step-clock':
      return hit(undefined, (slot) => signalTo(slot.up()?.pid, 'SIGUSR2'))
    case 'burst':
      burst(Math.round(60 + 60 * size))
      return 'the API'
    case 'lock-table': {
      const table = tables[Math.floor(place * tables.length + 1e-9)]
      if (table === undefined) return undefined
      return over(stranger.lockTable(table, ms), table)
    }
    case 'read-only':
      return over(stranger.makeReadOnly(ms))
    case 'full-disk':
      if (stranger.fillDisk === undefined) return undefined
      return over(stranger.fillDisk(ms))
    case 'take-connections':
      return over(stranger.takeConnections(ms))
    case 'copy-database':
      return over(runCopy(ms))
    case 'terminate-backends':
      return over(stranger.terminateBackends(terminated.count, terminated.ms))
  }
}
