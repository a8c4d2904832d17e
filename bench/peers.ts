import { setTimeout as delay } from 'node:timers/promises'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import type { Contender, Site, StartContender } from '../rig/contender.ts'
import { postmasterPid } from '../rig/bench-database.ts'
import { familyCpuMs, median, percentile, processCpuMs } from '../rig/measure.ts'
import { type Call, type ModelProcess, startModelProcess } from '../rig/model-process.ts'
import { installPeer } from '../rig/peer-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { measureSteps } from '../rig/step-times.ts'
import { makeDatabase, type Store } from '../rig/store.ts'
import { until } from '../rig/until.ts'
import { listEntrants, type ContenderName, type Entrant } from './contenders.ts'

/** With a model that answers at once. */
export interface Throughput {
  runsPerSecond: number
  cpuMs: number
  /** CPU time of the server that stores the runs. */
  storeCpuMs: number
}

/** The results of one contender. */
export interface Standing extends Throughput {
  addedP50Ms: number
  addedP99Ms: number
  bytesInProgress: number
  bytesWaiting: number
  resumeMs: number
  /** Fraction of the runs in progress when the process was killed. */
  lostShare: number
}

export interface Comparison {
  standings: Map<ContenderName, Standing>
  /** Results of libraries with plain model calls instead of the documented client. */
  bare: Map<ContenderName, Throughput>
}

/** For a quick test: this many runs in each scene, and one round. */
const quickRuns = process.env['BENCH_PEERS_RUNS']
const rounds = quickRuns === undefined ? 3 : 1
const open = 500
const throughputOpen = 256
const killedRuns = 200
const waitingRuns = 1_000
/** A little longer than undici keeps an unused connection, 4 s by default. */
const keepAliveMs = 5_500
const patienceMs = 120_000

/**
 * The same crew of two on the same machine, model server and PostgreSQL, by Muster and by others.
 * Contenders take turns in every round, each with a new process and an empty database for each
 * figure; the median of the rounds counts.
 */
export async function comparePeers(names: readonly ContenderName[]): Promise<Comparison> {
  const runs = Number(quickRuns ?? 3_000)
  for (const folder of new Set(names.map((name) => name.replace(/-.*/, '')))) {
    if (folder !== 'muster') await installPeer(folder)
  }
  await using folder = await makeScratchFolder()
  await using model = await startModelProcess()
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  const pid = await postmasterPid(folder.dataDir)
  const makeStore = (): Promise<Store> => makeDatabase(postgres.url, () => familyCpuMs(pid))
  const ground = { model, makeStore, folder: folder.path, runs }
  const standings = new Map<ContenderName, Standing[]>()
  const bare = new Map<ContenderName, Throughput[]>()
  const entrants = listEntrants(model).filter(({ name }) => names.includes(name))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < entrants.length; turn++) {
      const entrant = entrants[(round + turn) % entrants.length] as Entrant
      const { name, start, startBare } = entrant
      console.error(`round ${round + 1} of ${rounds}: ${name}`)
      const own = { ...ground, makeStore: entrant.makeStore ?? ground.makeStore }
      const standing = {
        ...(await measureSpeed(own, start)),
        ...(await measureWaiting(own, start)),
        ...(await measureResume(own, start)),
      }
      // Printed, so that results survive an interruption.
      console.error(standing)
      standings.set(name, [...(standings.get(name) ?? []), standing])
      if (startBare === undefined) continue
      bare.set(name, [...(bare.get(name) ?? []), await measureThroughput(own, startBare)])
    }
  }
  return { standings: toMedians(standings), bare: toMedians(bare) }
}

interface Ground {
  model: ModelProcess
  makeStore: (folder: string) => Promise<Store>
  folder: string
  /** Runs in each scene. */
  runs: number
}

async function measureSpeed(
  ground: Ground,
  start: StartContender,
): Promise<Omit<Standing, 'bytesWaiting' | 'resumeMs' | 'lostShare'>> {
  const { model, runs } = ground
  await using site = await prepareSite(ground)
  await using contender = await start(site)
  const { throughput, nextTag } = await playFast(ground, contender, site.store)
  const slow = { firstTag: nextTag, count: runs, open: Math.min(open, runs / 4) }
  const { addedMs } = measureSteps(await playAll(model, contender, slow, 200), slow)
  const bytesInProgress = await weighRunsInProgress(model, contender, slow.firstTag + runs)
  return {
    ...throughput,
    addedP50Ms: percentile(addedMs, 0.5),
    addedP99Ms: percentile(addedMs, 0.99),
    bytesInProgress,
  }
}

async function measureThroughput(ground: Ground, start: StartContender): Promise<Throughput> {
  await using site = await prepareSite(ground)
  await using contender = await start(site)
  return (await playFast(ground, contender, site.store)).throughput
}

/** Runs with a model that answers at once, after as many for warm-up. */
async function playFast(
  { model, runs }: Ground,
  contender: Contender,
  store: Store,
): Promise<{ throughput: Throughput; nextTag: number }> {
  const warmUp = { firstTag: 0, count: Math.ceil(runs / 3), open: throughputOpen }
  await playAll(model, contender, warmUp, 0)
  const before = { own: await processCpuMs(contender.pid), store: await store.readCpuMs() }
  const fast = { firstTag: warmUp.count, count: runs, open: Math.min(throughputOpen, runs / 4) }
  const calls = await playAll(model, contender, fast, 0)
  const cpuMs = ((await processCpuMs(contender.pid)) - before.own) / runs
  const storeCpuMs = ((await store.readCpuMs()) - before.store) / runs
  const runsPerSecond = measureSteps(calls, fast).perSecond
  return { throughput: { runsPerSecond, cpuMs, storeCpuMs }, nextTag: fast.firstTag + runs }
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
  const calls = await model.takeCalls()
  if (calls.length !== 2 * played.count) {
    throw new Error(`${played.count} runs of two steps made ${calls.length} model calls`)
  }
  return calls
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

/** Bytes of each run that waits for a person; then all are answered and must complete. */
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

/**
 * Time from starting a process after the kill -9 of another until the latter's runs are completed.
 */
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

async function prepareSite({ model, makeStore, folder }: Ground): Promise<Site & AsyncDisposable> {
  const store = await makeStore(folder)
  return {
    store,
    modelUrl: model.url,
    folder,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
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

/** Memory after kept-alive connections are closed. */
async function readSettledMemory(contender: Contender): Promise<number> {
  await delay(keepAliveMs)
  return contender.readMemory()
}

function toMedians<T extends Throughput>(all: Map<ContenderName, T[]>): Map<ContenderName, T> {
  return new Map([...all].map(([name, figures]) => [name, toMedian(figures)]))
}

function toMedian<T extends Throughput>(all: T[]): T {
  const keys = Object.keys(all[0] ?? {}) as (keyof T)[]
  const entries = keys.map((key) => [key, median(all.map((one) => one[key] as number))])
  return Object.fromEntries(entries) as T
}
