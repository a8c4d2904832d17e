import { before, it as nodeIt } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { endLaneAfterFile, laneStack } from '../../test/lanes/shared.ts'
import { sitDown, startBrowser, type Person, type PersonOptions } from './person.ts'
import { makeWorld, startService, type Service, type Started, type World } from './world.ts'

/** What the tests of one file happen in: an account of its own in the lane's service, and the lane's browser. */
export interface Scene {
  world: World
  browser: Browser
  it: Test
}

type Role = 'viewer' | 'approver' | 'member' | 'admin'

interface SitOptions extends Partial<PersonOptions> {
  /** With a new key of this role in place of the admin's. */
  role?: Role
}

type Sit = (options?: SitOptions) => Promise<Person>

/** What a test is given: the world, a person at a browser, and what people can do. */
interface Given extends World, Omit<Person, typeof Symbol.asyncDispose> {
  person: Person
  /** Another person at a browser, with the key of an admin. */
  sit: Sit
  /** A new person, with a session of their own. */
  join: (name: string, role: Exclude<Role, 'viewer'>) => Promise<Person>
  /** Opens the case of a run as soon as it waits. */
  openCase: (page: Page, started: Pick<Started, 'runId'>) => Promise<Page>
}

type Body = (given: Given) => Promise<void>
interface Options extends SitOptions {
  /** Faults of pages are what the test makes. */
  mayFault?: true
}
/** A test of `node:test`, which fails as well when one of its people saw a fault of a page. */
type Test = (name: string, ...args: [body: Body] | [options: Options, body: Body]) => void

export interface SceneOptions {
  /** A new service with an empty account `default`. */
  isNew?: true
  /** Of the new service. */
  env?: Record<string, string>
  prepare?: (world: World) => Promise<void>
}

let shared: Promise<[Service, Browser]> | undefined
let count = 0

/** To be called by a file before its tests. */
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
