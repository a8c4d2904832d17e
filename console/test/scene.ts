import { before, it as nodeIt } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { endLaneAfterFile, laneStack } from '../../test/lanes/shared.ts'
import { until } from '../../rig/until.ts'
import { sitDown, startBrowser, type Person, type PersonOptions } from './person.ts'
import { makeWorld, startService, type Service, type Started, type World } from './world.ts'

/**
 * What the tests of one file share: an account of their own in the lane's service, and the lane's
 * browser.
 */
export interface Scene {
  world: World
  browser: Browser
  it: Test
}

type Role = 'viewer' | 'approver' | 'member' | 'admin'

interface SitOptions extends Partial<PersonOptions> {
  /** Signs in with a new key of this role in place of the admin's. */
  role?: Role
}

type Sit = (options?: SitOptions) => Promise<Person>

/** What each test receives: the world, a person at a browser, and what people can do. */
interface Given extends World, Omit<Person, typeof Symbol.asyncDispose> {
  person: Person
  /** Opens a browser for another person, by default with the key of an admin. */
  sit: Sit
  /** Adds a person to the account and opens a browser with a session of theirs. */
  join: (name: string, role: Exclude<Role, 'viewer'>) => Promise<Person>
  /** Waits until the run waits, then opens its case. */
  openCase: (page: Page, started: Pick<Started, 'runId'>) => Promise<Page>
}

type Body = (given: Given) => Promise<void>
interface Options extends SitOptions {
  /** The test causes faults of the page on purpose, so they do not fail it. */
  mayFault?: true
}
/** A test of `node:test` that also fails when one of its people saw a fault of the page. */
type Test = (name: string, ...args: [body: Body] | [options: Options, body: Body]) => void

export interface SceneOptions {
  /** Starts a new service, whose account `default` is empty, in place of using the lane's. */
  isNew?: true
  /** Environment of the new service. */
  env?: Record<string, string>
  prepare?: (world: World) => Promise<void>
}

let shared: Promise<[Service, Browser]> | undefined
let count = 0

/** Sets up the scene of a test file; the file calls it before its tests. */
export function setScene({ isNew, env, prepare }: SceneOptions = {}): Scene {
  const scene = {} as Scene
  endLaneAfterFile()
  before(async () => {
    const [service, browser] = await (shared ??= share())
    scene.browser = browser
    scene.world = isNew
      ? await makeWorld(laneStack.use(await startService(env)))
      : await makeWorld(service, `workshop-${process.pid}-${++count}`)
    await prepare?.(scene.world)
  })
  scene.it = (name, ...args) => {
    const [body, options = {}] = args.toReversed() as [Body, Options?]
    void nodeIt(name, () => runTest(scene, body, options))
  }
  return scene
}

async function share(): Promise<[Service, Browser]> {
  const service = laneStack.use(await startService())
  return [service, laneStack.adopt(await startBrowser(), (browser) => browser.close())]
}

async function runTest(scene: Scene, body: Body, options: Options): Promise<void> {
  const { world, browser } = scene
  const { app, muster } = world
  await using people = new AsyncDisposableStack()
  const all: Person[] = []
  const sit: Sit = async ({ role, ...given } = {}) => {
    const key = role && (await muster.api_keys.create({ name: role, role })).key
    const person = await sitDown(browser, { url: app.url, key: key ?? app.key, ...given })
    all.push(people.use(person))
    return person
  }
  const person = await sit(options)
  await body({
    ...world,
    ...person,
    person,
    sit,
    join: async (name, role) => sit({ key: undefined, session: await world.addPerson(name, role) }),
    openCase: async (page, { runId }) => {
      const { pending } = await muster.runs.wait(runId, { timeoutMs: 20_000 })
      await page.goto(`/inbox/${pending?.id}`)
      await page.getByRole('article').waitFor()
      return page
    },
  })
  if (!options.mayFault) for (const one of all) one.sawNoFault()
}

/** Waits until a page has a title like this: it follows the heading a moment later. */
export async function isTitled(page: Page, title: RegExp): Promise<void> {
  await until(`the title is like ${title}`, 15_000, async () => title.test(await page.title()))
}
