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
 * A person at a browser. While the person works, faults of the page are recorded: errors, reports
 * of the content security policy, and requests to other hosts.
 */
export interface Person extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Fails when a fault was recorded. */
  sawNoFault: () => void
  /**
   * Waits until all requests of the page are answered; event streams, which have no end, do not
   * count.
   */
  seesAll: () => Promise<void>
  /** Fails when axe finds something serious or critical on the current page. */
  findsItAccessible: () => Promise<void>
  /** Presses the button with exactly this name. */
  press: (name: string) => Promise<void>
  /**
   * The editor of this name, once it has replaced the plain field: text typed into the plain field
   * could be lost.
   */
  editor: (name: string) => Locator
  /** Waits until the text is on the page. */
  sees: (text: string | RegExp) => Promise<void>
  /** Saves the form and waits until the page shows that it is saved. */
  save: () => Promise<void>
  /** Publishes the form of something that has versions, and waits until the page shows it. */
  publish: () => Promise<void>
  /** Fails when the page is wider than its window. */
  fitsWindow: () => Promise<void>
  /** Holds requests back from the first matching one on, until they are released. */
  hold: (url: string, method?: string) => Promise<Held>
  /** Presses a button that saves a file and returns the file. */
  download: (button: string) => Promise<{ name: string; text: string }>
}

export interface Held {
  asked: Promise<void>
  count: () => number
  release: () => void
}

export interface PersonOptions {
  url: string
  /** An API key with which the person is signed in from the first page on. */
  key?: string | undefined
  /** The cookie value of a person's session. */
  session?: string
  colorScheme?: 'light' | 'dark'
  width?: number
  height?: number
  isPhone?: boolean
}

export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
      // A name in one's own network, which over plain HTTP is no secure context.
      '--host-resolver-rules=MAP muster.internal 127.0.0.1',
    ],
  })
}

export async function sitDown(browser: Browser, options: PersonOptions): Promise<Person> {
  const { url, key, session, colorScheme = 'light', isPhone = false } = options
  const { width = isPhone ? 390 : 1280, height = isPhone ? 844 : 860 } = options
  const context = await browser.newContext({
    baseURL: url,
    // Without a locale of the system, Chromium reports a language tag that is not valid.
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

/**
 * Runs in the page before its scripts: stores the key where the console keeps it after a sign-in.
 */
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
    // The browser logs this for every answer over 399 and every cut connection; the page itself
    // shows those to people. Over plain HTTP it ignores a header.
    if (/Failed to load resource|ERR_|Cross-Origin-Opener-Policy/.test(message.text())) return
    faults.push(`${message.type()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    const target = request.url()
    const isOwn = [url, `blob:${url}`, 'data:'].some((start) => target.startsWith(start))
    if (!isOwn) faults.push(`request: ${target}`)
  })
  return faults
}

/** The page sends the requests that follow from an answer within this time. */
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

/** The axe findings that keep people from using a page: serious and critical ones. */
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
