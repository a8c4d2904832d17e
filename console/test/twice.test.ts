import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Route } from 'playwright-core'
import { createAccount } from '../../server/accounts/create-account.ts'
import { setScene } from './scene.ts'
import { password, type World } from './world.ts'

const { it } = setScene()

const runsOf = async ({ muster }: World, id: string) => (await muster.runs.list(id)).length

describe('what is done once more', () => {
  it('is one run, however long the keys are held that start it', async (given) => {
    const { page, person, muster } = given
    const { id } = await muster.workflows.create({ name: 'Held keys' })
    await page.goto(`/workflows/${id}`)
    const held = await person.hold(`**/v1/workflows/${id}/runs?*`)
    const text = page.getByPlaceholder('The text that the crew works on')
    await text.fill('A quiet week.')
    await text.press('ControlOrMeta+Enter')
    await page.locator('[aria-busy=true]').waitFor()
    for (let repeat = 0; repeat < 3; repeat++) await text.press('ControlOrMeta+Enter')
    held.release()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    assert.equal(held.count(), 1)
    assert.equal(await runsOf(given, id), 1)
  })

  it('is one where a button is pressed twice before the page has drawn it', async (given) => {
    const { page, muster } = given
    const { id } = await muster.workflows.create({ name: 'Two taps' })
    await page.goto(`/workflows/${id}`)
    await page.getByPlaceholder('The text that the crew works on').fill('A quiet week.')
    await page.getByRole('button', { name: 'Run and watch', exact: true }).dblclick()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    assert.equal(await runsOf(given, id), 1)
  })

  it('is not done again where no answer came, and is where one did', async (given) => {
    const { page, muster, press } = given
    const { id } = await muster.workflows.create({ name: 'Bad line' })
    await page.goto(`/workflows/${id}`)
    // The service executes the request, but the connection breaks before its answer arrives.
    const lose = async (route: Route) => {
      await route.fetch()
      await route.abort()
    }
    await page.route(`**/v1/workflows/${id}/runs?*`, lose, { times: 2 })
    const start = async () => {
      await page.getByPlaceholder('The text that the crew works on').fill('A quiet week.')
      await press('Run and watch')
    }
    await start()
    await page.getByRole('alert').getByText('does not answer').waitFor()
    assert.equal(await runsOf(given, id), 1)
    await press('Run and watch')
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    assert.equal(await runsOf(given, id), 1)
    await page.goBack()
    await start()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    assert.equal(await runsOf(given, id), 2)
  })

  it('shows what somebody else saved a moment ago, and does not save over it', async (given) => {
    const { page, muster, press } = given
    const { id } = await muster.workflows.create({ name: 'Shared' })
    await page.goto(`/workflows/${id}`)
    await page.getByLabel('Description').fill('Mine')
    await muster.workflows.update(id, { description: 'Theirs' })
    await press('Publish')
    await page.getByText('Someone else changed this').waitFor()
    assert.equal((await muster.workflows.retrieve(id)).description, 'Theirs')
    assert.equal(await page.getByLabel('Description').inputValue(), 'Mine')
    await press('Overwrite')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.equal((await muster.workflows.retrieve(id)).description, 'Mine')
  })
})

describe('a session', () => {
  it('goes to another account in all tabs of the browser at once', async ({
    app,
    muster,
    join,
  }) => {
    const other = await createAccount(app.database, 'Other')
    const { page, context } = await join('Ada', 'admin')
    const [ada] = await muster.users.list()
    const email = ada?.email ?? ''
    const invited = await app.post('/v1/invitations', { email, role: 'admin' }, other.adminKey)
    await app.call('POST', '/v1/invitations/accept', {
      key: null,
      body: { token: new URL(invited.link).hash.slice(1), name: 'Ada', password },
    })
    await page.goto('/')
    const second = await context.newPage()
    await second.goto('/api-keys')
    await second.getByText('first admin key').waitFor()
    await page.getByRole('button', { name: /^workshop/ }).click()
    await page.getByRole('menuitemradio', { name: 'Other · admin' }).click()
    await page.getByRole('heading', { name: 'Other', level: 1 }).waitFor()
    await second.getByRole('button', { name: /^Other/ }).waitFor()
  })

  it('ends and begins in all tabs of the browser at once', async ({ join, muster }) => {
    const { page, context } = await join('Grace', 'member')
    const email = (await muster.users.list()).find(({ name }) => name === 'Grace')?.email ?? ''
    await page.goto('/')
    const second = await context.newPage()
    await second.goto('/agents')
    await second.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    await page.getByRole('button', { name: /^workshop/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await second.getByRole('heading', { level: 1, name: 'Sign in to Muster' }).waitFor()
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
    await second.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  })

  it('that was not ended says so to whoever signs out', async ({ join }) => {
    const { page, press } = await join('Eva', 'member')
    await page.goto('/')
    const signOut = async () => {
      await page.getByRole('button', { name: /^workshop/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    const isEnding = (method: string) => method === 'DELETE'
    await page.route('**/v1/session', (route) =>
      isEnding(route.request().method()) ? route.abort() : route.fallback(),
    )
    await signOut()
    await page.getByRole('alert').getByText('still signed in').waitFor()
    await page.unroute('**/v1/session')
    await press('Try again')
    await signOut()
    await page.getByLabel('Email').waitFor()
    await page.reload()
    await page.getByLabel('Email').waitFor()
  })

  it('is entered by a key, which outlives a reload; a wrong one is refused in words', async (given) => {
    const { app, sit } = given
    const { page, press, sees } = await sit({ key: undefined })
    await page.goto('/workflows')
    const toKey = page.getByRole('button', { name: 'Use an API key' })
    const field = page.getByLabel('API key')
    await toKey.or(field).first().waitFor()
    // The sign-in page starts with the key field as long as no person has a password.
    if (await toKey.isVisible()) await toKey.click()
    await field.fill('mst_wrong')
    await press('Sign in')
    await sees('Request req_')
    await field.fill(app.key)
    await press('Sign in')
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
  })
})
