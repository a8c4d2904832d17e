import type { Page } from 'playwright-core'
import { sitDown, startBrowser } from '../console/test/person.ts'
import { createWorkflow, triggerRun } from '../rig/api.ts'
import { fillAccounts, fillLongRun } from '../rig/fill-console.ts'
import { median, percentile, round } from '../rig/measure.ts'
import { adminKey } from '../rig/muster-process.ts'
import { openStage } from '../rig/stage.ts'
import { figure, type Figure } from './report.ts'

const accounts = 1_000
const runs = 1_000_000
const events = 5_000
const calls = 300
const target = { listMs: 500, runMs: 1_000, frameMs: 50, delayMs: 100 }
const opens = 7
const frames = 500
const runsPerSecond = 65
const typedKeys = 100

/**
 * The console in a real browser over 1,000,000 runs of 1,000 accounts: how soon a screen shows its
 * data after a full page load, and how it behaves while a long run is scrolled and while 200
 * changes a second arrive. The browser shares the machine and renders without a graphics card.
 */
export async function consoleInBrowser(): Promise<Figure[]> {
  await using stage = await openStage()
  const { muster, database } = stage
  const workflowId = await createWorkflow(muster.url)
  await fillAccounts(database, { accounts, runs, workflowId })
  const runId = await fillLongRun(database, { events, calls, workflowId })
  const browser = await startBrowser()
  try {
    await using person = await sitDown(browser, { url: muster.url, key: adminKey })
    const { page } = person
    const list = await timeOpenings(page, '/runs', 'ul[aria-label=Runs] li')
    const run = await timeOpenings(page, `/runs/${runId}`, 'ol[aria-label=Timeline] li')
    const scroll = await timeFrames(page)
    await page.goto('/runs')
    await page.locator('ul[aria-label=Runs] li').first().waitFor()
    const delays = await timeInput(page, () => triggerRun(muster.url, workflowId, 'go'))
    person.sawNoFault()
    return [
      atMost(
        `list of runs on screen, ${runs} runs of ${accounts} accounts, p50`,
        list,
        target.listMs,
      ),
      atMost(`run of ${events} events and ${calls} calls on screen, p50`, run, target.runMs),
      figure('scrolling it: median, slowest frame', ...within(scroll.tookMs, target.frameMs)),
      figure('the same: processor time of the page a frame', `${round(scroll.workMs)} ms`),
      figure(
        `input delay in the list of runs, ${delays.changes} changes a second: p50, slowest`,
        ...within(delays.tookMs, target.delayMs),
      ),
    ]
  } finally {
    await browser.close()
  }
}

function atMost(name: string, tookMs: number[], mostMs: number): Figure {
  const middle = median(tookMs)
  return figure(name, `${round(middle)} ms`, `≤ ${mostMs} ms`, middle <= mostMs)
}

function within(tookMs: number[], mostMs: number): [string, string, boolean] {
  const slowest = percentile(tookMs, 1)
  return [`${round(median(tookMs))}, ${round(slowest)} ms`, `≤ ${mostMs} ms`, slowest <= mostMs]
}

/** Time from the start of the navigation until the element is rendered. */
async function timeOpenings(page: Page, path: string, selector: string): Promise<number[]> {
  const tookMs: number[] = []
  for (let turn = 0; turn <= opens; turn++) {
    await page.goto(path, { waitUntil: 'commit' })
    const seen = `new Promise((resolve) => {
      const look = () => document.querySelector(${JSON.stringify(selector)}) === null
        ? requestAnimationFrame(look)
        : requestAnimationFrame(() => resolve(performance.now()))
      look()
    })`
    const ms = Number(await page.evaluate(seen))
    // The first one fills the caches.
    if (turn > 0) tookMs.push(ms)
  }
  return tookMs
}

/** The time of each frame while the page is scrolled, and the page's own work per frame. */
async function timeFrames(page: Page): Promise<{ tookMs: number[]; workMs: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const readWork = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
  }
  const scrolling = `new Promise((resolve) => {
    const tookMs = []
    let last = performance.now()
    const step = (now) => {
      tookMs.push(now - last)
      last = now
      scrollBy(0, 150)
      if (tookMs.length > ${frames}) resolve(tookMs.slice(1))
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`
  const before = await readWork()
  const tookMs = (await page.evaluate(scrolling)) as number[]
  return { tookMs, workMs: ((await readWork()) - before) / frames }
}

/** Latency of key presses while runs change. */
async function timeInput(
  page: Page,
  trigger: () => Promise<unknown>,
): Promise<{ tookMs: number[]; changes: number }> {
  await page.evaluate(`
    globalThis.delays = []
    addEventListener('keydown', (event) => delays.push(performance.now() - event.timeStamp), true)
  `)
  const beganAt = performance.now()
  let count = 0
  const failures: unknown[] = []
  const timer = setInterval(() => {
    count++
    trigger().catch((error: unknown) => failures.push(error))
  }, 1_000 / runsPerSecond)
  try {
    for (let key = 0; key < typedKeys; key++) {
      await page.keyboard.press('j')
      await page.waitForTimeout(80)
    }
  } finally {
    clearInterval(timer)
  }
  if (failures.length > 0) throw failures[0]
  // Queued, taken, its first step finished, completed.
  const changes = Math.round((count * 4 * 1_000) / (performance.now() - beganAt))
  return { tookMs: (await page.evaluate('delays')) as number[], changes }
}
