import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createAccount } from '../../server/accounts/create-account.ts'
import { sitDown, type Person } from './person.ts'
import { join, setScene } from './world.ts'

const scene = setScene()

const sit = (key = scene.world.app.key): Promise<Person> =>
  sitDown(scene.browser, { url: scene.world.app.url, key })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function runsOf(workflowId: string): Promise<number> {
  return (await scene.world.muster.runs.list(workflowId)).length
}

describe('what is done once more', () => {
  it('is one run, however long the keys are held that start it', async () => {
    const { id } = await scene.world.muster.workflows.create({ name: 'Held keys' })
    await using person = await sit()
    const { page } = person
    await page.goto(`/workflows/${id}`)
    const { promise: isHeld, resolve: goOn } = Promise.withResolvers<void>()
    let asked = 0
    await page.route(`**/v1/workflows/${id}/runs?*`, async (route) => {
      asked++
      await isHeld
      return route.fallback()
    })
    const text = page.getByPlaceholder('The text that the crew works on')
    await text.fill('A quiet week.')
    await text.press('ControlOrMeta+Enter')
    await page.locator('[aria-busy=true]').waitFor()
    for (let repeat = 0; repeat < 3; repeat++) await text.press('ControlOrMeta+Enter')
    goOn()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    assert.equal(asked, 1)
    assert.equal(await runsOf(id), 1)
    person.sawNoFault()
  })

  it('is one where a button is pressed twice before the page has drawn it', async () => {
    const { id } = await scene.world.muster.workflows.create({ name: 'Two taps' })
    await using person = await sit()
    const { page } = person
    await page.goto(`/workflows/${id}`)
    await page.getByPlaceholder('The text that the crew works on').fill('A quiet week.')
    await page.getByRole('button', { name: 'Run and watch', exact: true }).dblclick()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    assert.equal(await runsOf(id), 1)
    person.sawNoFault()
  })

  it('is not done again where no answer came, and is where one did', async () => {
    const { id } = await scene.world.muster.workflows.create({ name: 'Bad line' })
    await using person = await sit()
    const { page } = person
    await page.goto(`/workflows/${id}`)
    // The service does what it is asked, and the line breaks before it has said so.
    const lose = { times: 2 }
    await page.route(
      `**/v1/workflows/${id}/runs?*`,
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      lose,
    )
    const start = async () => {
      await page.getByPlaceholder('The text that the crew works on').fill('A quiet week.')
      await press(page, 'Run and watch')
    }
    await start()
    await page.getByRole('alert').getByText('does not answer').waitFor()
    assert.equal(await runsOf(id), 1)
    await press(page, 'Run and watch')
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    assert.equal(await runsOf(id), 1)
    await page.goBack()
    await start()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    assert.equal(await runsOf(id), 2)
    person.sawNoFault()
  })

  it('shows what somebody else saved a moment ago, and does not save over it', async () => {
    const { muster } = scene.world
    const { id } = await muster.workflows.create({ name: 'Shared' })
    await using person = await sit()
    const { page } = person
    await page.goto(`/workflows/${id}`)
    await page.getByLabel('What it is for').fill('Mine')
    await muster.workflows.update(id, { description: 'Theirs' })
    await press(page, 'Save')
    await page.getByText('Somebody changed it').waitFor()
    assert.equal((await muster.workflows.retrieve(id)).description, 'Theirs')
    assert.equal(await page.getByLabel('What it is for').inputValue(), 'Mine')
    await press(page, 'Save over it')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.equal((await muster.workflows.retrieve(id)).description, 'Mine')
    person.sawNoFault()
  })
})

describe('a session', () => {
  it('goes to another account in all tabs of the browser at once', async () => {
    const { app } = scene.world
    const other = await createAccount(app.database, 'Other')
    await using person = await join(scene, 'Ada', 'admin')
    const invited = await app.post(
      '/v1/invitations',
      { email: 'Ada@example.com', role: 'admin' },
      other.adminKey,
    )
    await app.call('POST', '/v1/invitations/accept', {
      key: null,
      body: {
        token: new URL(invited.link).hash.slice(1),
        name: 'Ada',
        password: 'a long enough one',
      },
    })
    const { page } = person
    await page.goto('/')
    const second = await person.context.newPage()
    await second.goto('/api-keys')
    await second.getByText('first admin key').waitFor()
    await page.getByRole('button', { name: /^default/ }).click()
    await page.getByRole('menuitemradio', { name: 'Other · admin' }).click()
    await page.getByRole('heading', { name: 'Other', level: 1 }).waitFor()
    await second.getByRole('button', { name: /^Other/ }).waitFor()
    person.sawNoFault()
  })

  it('that was not ended says so to whoever signs out', async () => {
    await using person = await join(scene, 'Eva', 'member')
    const { page } = person
    await page.goto('/')
    const signOut = async () => {
      await page.getByRole('button', { name: /^default/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    const isEnding = (method: string) => method === 'DELETE'
    await page.route('**/v1/session', (route) =>
      isEnding(route.request().method()) ? route.abort() : route.fallback(),
    )
    await signOut()
    await page.getByRole('alert').getByText('still signed in').waitFor()
    await page.unroute('**/v1/session')
    await press(page, 'Try again')
    await signOut()
    await page.getByLabel('E-mail address').waitFor()
    await page.reload()
    await page.getByLabel('E-mail address').waitFor()
    person.sawNoFault()
  })
})
