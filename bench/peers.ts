import { setTimeout as delay } from 'node:timers/promises'
import { startEmbeddedServer } from '../server/db/embedded-server.ts'
import type { Contender, Site, StartContender } from './rig/contender.ts'
import { processCpuMs } from './rig/cpu-time.ts'
import { makeFreshDatabase } from './rig/fresh-database.ts'
import { startModelProcess, type ModelProcess } from './rig/model-process.ts'
import type { Call } from './rig/model-server.ts'
import { musterContender } from './rig/muster-contender.ts'
import { peerContender } from './rig/peer-contender.ts'
import { installPeer } from './rig/peer-process.ts'
import { median, percentile } from './rig/percentiles.ts'
import { makeScratchFolder } from './rig/scratch-folder.ts'
import { hearSteps } from './rig/steps-heard.ts'
import { until } from './rig/until.ts'

/** What was measured of one contender. */
export interface Standing {
  runsPerSecond: number
  cpuMs: number
  addedP50Ms: number
  addedP99Ms: number
  bytesInProgress: number
  bytesWaiting: number
  resumeMs: number
  /** Of the runs in progress when the process was killed. */
  lostShare: number
}

export type ContenderName = 'muster' | 'floor' | 'dbos' | 'mastra' | 'langgraph' | 'langgraph-async'

/** Set for a trial: so many runs in each scene, and one round. */
const trialRuns = process.env['BENCH_PEERS_RUNS']
export const rounds = trialRuns === undefined ? 3 : 1
const open = 500
const throughputOpen = 256
const killedRuns = 200
const waitingRuns = 1_000
/** A little longer than undici keeps a connection that nobody uses, 4 s by default. */
const keepAliveMs = 5_500
const patienceMs = 120_000

/**
 * The same crew of two on the same machine, model server and PostgreSQL, by Muster and by others. Each
 * takes its turn in every round, with a new process and an empty database for each figure; of the
 * rounds the median counts.
 */
export async function comparePeers(): Promise<Map<ContenderName, Standing>> {
  const runs = Number(trialRuns ?? 3_000)
  for (const name of ['dbos', 'mastra', 'langgraph']) await installPeer(name)
  await using folder = await makeScratchFolder()
  await using model = await startModelProcess()
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  const ground = { model, serverUrl: postgres.url, folder: folder.path, runs }
  const contenders: [ContenderName, StartContender][] = [
    ['muster', musterContender(model)],
    ['floor', peerContender('floor')],
    ['dbos', peerContender('dbos')],
    ['mastra', peerContender('mastra')],
    ['langgraph', peerContender('langgraph', { DURABILITY: 'sync' })],
    ['langgraph-async', peerContender('langgraph', { DURABILITY: 'async' })],
  ]
  const standings = new Map<ContenderName, Standing[]>()
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const [name, start] = contenders[(round + turn) % contenders.length] as (typeof contenders)[0]
      console.error(`round ${round + 1} of ${rounds}: ${name}`)
      const standing = {
        ...(await measureSpeed(ground, start)),
        ...(await measureWaiting(ground, start)),
        ...(await measureResume(ground, start)),
      }
      standings.set(name, [...(standings.get(name) ?? []), standing])
    }
  }
  return new Map([...standings].map(([name, all]) => [name, toMedian(all)]))
}

interface Ground {
  model: ModelProcess
  serverUrl: string
  folder: string
  /** Of each scene. */
  runs: number
}

async function measureSpeed(
  ground: Ground,
  start: StartContender,
): Promise<Omit<Standing, 'bytesWaiting' | 'resumeMs' | 'lostShare'>> {
  const { model, runs } = ground
  await using site = await prepareSite(ground)
  await using contender = await start(site)
  const warmUp = { firstTag: 0, count: Math.ceil(runs / 3), open: throughputOpen }
  await playAll(model, contender, warmUp, 0)

  const cpuBefore = await processCpuMs(contender.pid)
  const fast = { firstTag: warmUp.count, count: runs, open: Math.min(throughputOpen, runs / 4) }
  const fastCalls = await playAll(model, contender, fast, 0)
  const cpuMs = ((await processCpuMs(contender.pid)) - cpuBefore) / runs

  const slow = { firstTag: fast.firstTag + runs, count: runs, open: Math.min(open, runs / 4) }
  const { addedMs } = hearSteps(await playAll(model, contender, slow, 200), slow)
  const bytesInProgress = await weighRunsInProgress(model, contender, slow.firstTag + runs)
  return {
    runsPerSecond: hearSteps(fastCalls, fast).perSecond,
    cpuMs,
    addedP50Ms: percentile(addedMs, 0.5),
    addedP99Ms: percentile(addedMs, 0.99),
    bytesInProgress,
  }
}

async function playAll(
  model: ModelProcess,
  contender: Contender,
  played: { firstTag: number; count: number; open: number },
  latencyMs: number,
): Promise<Call[]> {
  model.setLatency(latencyMs)
  await model.takeCalls()
  await contender.play(played)
  return model.takeCalls()
}

/** Bytes of each run while all of them wait for the model; ends the contender. */
async function weighRunsInProgress(
  model: ModelProcess,
  contender: Contender,
  firstTag: number,
): Promise<number> {
  const idle = await readSettledMemory(contender)
  model.setLatency(patienceMs)
  const playing = contender.play({ firstTag, count: open, open }).catch(() => {})
  await waitForCalls(model, 'all runs call the model', (calls) => calls.length === open)
  const busy = await contender.readMemory()
  await contender.kill()
  await Promise.race([playing, delay(1_000)])
  return (busy - idle) / open
}

/** Bytes of each run that waits for a human; then all are answered and have to end well. */
async function measureWaiting(
  ground: Ground,
  start: StartContender,
): Promise<Pick<Standing, 'bytesWaiting'>> {
  const { model } = ground
  await using site = await prepareSite(ground)
  await using contender = await start(site)
  const human = contender.waiting
  model.setLatency(0)
  const warmUp = { firstTag: 0, count: throughputOpen, open: throughputOpen }
  await human.pause(warmUp)
  await human.answer(warmUp)
  const idle = await readSettledMemory(contender)
  const waiting = { firstTag: warmUp.count, count: waitingRuns, open: throughputOpen }
  await human.pause(waiting)
  const bytesWaiting = ((await readSettledMemory(contender)) - idle) / waitingRuns
  await human.answer(waiting)
  return { bytesWaiting }
}

/** From the start of a process after kill -9 of another until what that one left is completed. */
async function measureResume(
  ground: Ground,
  start: StartContender,
): Promise<Pick<Standing, 'resumeMs' | 'lostShare'>> {
  const { model } = ground
  await using site = await prepareSite(ground)
  model.setLatency(300, 0.5)
  await model.takeCalls()
  {
    await using contender = await start(site)
    const playing = contender
      .play({ firstTag: 0, count: killedRuns, open: killedRuns })
      .catch(() => {})
    await waitForCalls(
      model,
      'all runs are in progress, half of them in the second step',
      (calls) => {
        const seconds = calls.filter(({ step }) => step === 1).length
        return seconds >= killedRuns / 2 && calls.length - seconds === killedRuns
      },
    )
    await contender.kill()
    await Promise.race([playing, delay(1_000)])
  }
  const beganAt = performance.now()
  await using contender = await start(site)
  await contender.recover()
  const resumeMs = performance.now() - beganAt
  const lostShare = (await contender.countLost(killedRuns)) / killedRuns
  return { resumeMs, lostShare }
}

async function prepareSite({ model, serverUrl, folder }: Ground): Promise<Site & AsyncDisposable> {
  const database = await makeFreshDatabase(serverUrl)
  return {
    databaseUrl: database.url,
    modelUrl: model.url,
    folder,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

async function waitForCalls(
  model: ModelProcess,
  what: string,
  isEnough: (calls: Call[]) => boolean,
): Promise<void> {
  const calls: Call[] = []
  await until(what, patienceMs, async () => {
    calls.push(...(await model.takeCalls()))
    return isEnough(calls)
  })
}

/** When connections that were kept for the next call are closed. */
async function readSettledMemory(contender: Contender): Promise<number> {
  await delay(keepAliveMs)
  return contender.readMemory()
}

function toMedian(standings: Standing[]): Standing {
  const keys = Object.keys(standings[0] ?? {}) as (keyof Standing)[]
  const entries = keys.map((key) => [key, median(standings.map((standing) => standing[key]))])
  return Object.fromEntries(entries) as Record<keyof Standing, number>
}
