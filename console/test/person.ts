import assert from 'node:assert/strict'
import axe from 'axe-core'
import chromium from '@sparticuz/chromium'
import {
  chromium as playwright,
  type Browser,
  type BrowserContext,
  type Page,
  type Request,
} from 'playwright-core'
import { until } from '../../rig/until.ts'

/**
 * A person at a browser. What nobody should ever see is written down while the person works: errors of
 * the page, reports of the content security policy, requests to other hosts.
 */
export interface Person extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Fails when anything was written down. */
  sawNoFault: () => void
  /** Waits until everything that was asked for is there; streams have no end. */
  seesAll: () => Promise<void>
  /** Fails when axe finds something serious or critical on what is shown now. */
  findsItAccessible: () => Promise<void>
}

export interface PersonOptions {
  url: string
  /** Signs in at once. */
  key?: string
  colorScheme?: 'light' | 'dark'
  width?: number
  height?: number
  isPhone?: boolean
}

export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none'],
  })
}

export async function sitDown(browser: Browser, options: PersonOptions): Promise<Person> {
  const { url, key, colorScheme = 'light', width = 1280, height = 860, isPhone = false } = options
  const context = await browser.newContext({
    baseURL: url,
    // Chromium without a locale of the system calls its language by a name that is none.
    locale: 'en-US',
    colorScheme,
    viewport: { width, height },
    hasTouch: isPhone,
    isMobile: isPhone,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const faults = writeDownFaults(page, url)
  const seesAll = watchRequests(page)
  if (key !== undefined) {
    await page.goto('/')
    await enterByKey(page)
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  }
  return {
    page,
    context,
    seesAll,
    sawNoFault: () => assert.deepEqual(faults, []),
    findsItAccessible: () => checkAccessibility(page),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Keys are offered first as long as nobody has a password. */
async function enterByKey(page: Page): Promise<void> {
  const toKey = page.getByRole('button', { name: 'Use an API key' })
  await toKey.or(page.getByLabel('API key')).first().waitFor()
  if (await toKey.isVisible()) await toKey.click()
}

function writeDownFaults(page: Page, url: string): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    // The browser says it of every answer over 399 and every cut connection; the page shows those.
    if (/Failed to load resource|ERR_/.test(message.text())) return
    faults.push(`${message.type()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    const target = request.url()
    const isOwn = [url, `blob:${url}`, 'data:'].some((start) => target.startsWith(start))
    if (!isOwn) faults.push(`request: ${target}`)
  })
  return faults
}

/** What an answer makes the page ask for, it asks for sooner. */
const quietMs = 250

function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  let changedAt = performance.now()
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/events')) return
    open.add(request)
    changedAt = performance.now()
  })
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => {
      if (open.delete(request)) changedAt = performance.now()
    })
  }
  const isQuiet = () => open.size === 0 && performance.now() - changedAt > quietMs
  return () => until('the page has all that it asked for', 15_000, isQuiet)
}

/** Of axe's findings, those that keep people out. */
async function checkAccessibility(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const findings = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)
  const { violations } = findings as axe.AxeResults
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    )
  assert.deepEqual(serious, [], page.url())
}
