import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import axe from 'axe-core'
import chromium from '@sparticuz/chromium'
import {
  chromium as playwright,
  type Browser,
  type Locator,
  type BrowserContext,
  type Page,
  type Request,
} from 'playwright-core'
import { until } from '../../rig/until.ts'

/**
 * A person at a browser. What must never appear is recorded while the person works: errors of
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
  /** Presses the button of exactly this name. */
  press: (name: string) => Promise<void>
  /** The editor of this name, once it has taken the place of the plain field: text typed into that could be lost. */
  editor: (name: string) => Locator
  /** Waits until the text is on the page. */
  sees: (text: string | RegExp) => Promise<void>
  /** Saves the form and waits until the page knows that it is saved. */
  save: () => Promise<void>
  /** The same of what has versions. */
  publish: () => Promise<void>
  /** Fails when the page is wider than its window. */
  fitsWindow: () => Promise<void>
  /** Holds requests back, once one was seen, until they are released. */
  hold: (url: string, method?: string) => Promise<Held>
  /** The file that a button saves. */
  download: (button: string) => Promise<{ name: string; text: string }>
}

export interface Held {
  asked: Promise<void>
  count: () => number
  release: () => void
}

export interface PersonOptions {
  url: string
  /** Signed in from the first page on. */
  key?: string | undefined
  /** The value of the cookie of a person's session. */
  session?: string
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
  const { url, key, session, colorScheme = 'light', isPhone = false } = options
  const { width = isPhone ? 390 : 1280, height = isPhone ? 844 : 860 } = options
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
  if (key !== undefined) await context.addInitScript(storeKey, key)
  if (session !== undefined) {
    await context.addCookies([{ name: 'muster_session', value: session, url }])
  }
  const page = await context.newPage()
  const faults = writeDownFaults(page, url)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  return {
    page,
    context,
    seesAll: watchRequests(page),
    sawNoFault: () => assert.deepEqual(faults, []),
    findsItAccessible: () => checkAccessibility(page),
    press,
    editor: (name) => page.locator(`[contenteditable][aria-label="${name}"]`),
    sees: (text) => page.getByText(text).first().waitFor(),
    save: async () => {
      await press('Save')
      await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    },
    publish: async () => {
      await press('Publish')
      await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    },
    fitsWindow: async () => {
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
      const most = page.viewportSize()?.width ?? 0
      assert.ok(wide <= most, `${page.url()} is ${wide} px wide`)
    },
    hold: (target, method) => holdRequests(page, target, method),
    download: async (button) => {
      const [saved] = await Promise.all([page.waitForEvent('download'), press(button)])
      return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), 'utf8') }
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Runs in the page, before its scripts: the key is where the console stores it after signing in. */
function storeKey(key: string): void {
  const { location, sessionStorage } = globalThis as unknown as {
    location: { protocol: string }
    sessionStorage: Map<string, string> & { setItem: (name: string, value: string) => void }
  }
  if (location.protocol === 'about:' || 'muster.key' in sessionStorage) return
  sessionStorage.setItem('muster.key', key)
}

async function holdRequests(page: Page, target: string, method?: string): Promise<Held> {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let count = 0
  await page.route(target, async (route) => {
    if (method === undefined || route.request().method() === method) {
      count++
      asked.resolve()
      await released.promise
    }
    return route.fallback()
  })
  return { asked: asked.promise, count: () => count, release: released.resolve }
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
const quietMs = 100

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
