import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Locator, Page } from 'playwright-core'
import { startOidcProvider } from '../../rig/oidc-provider.ts'
import { sitDown } from './person.ts'
import { join, setScene } from './world.ts'

const scene = setScene()

const password = 'a long enough one'
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const pathOf = (link: string) => link.slice(new URL(link).origin.length)
const signIn = async (page: Page, email: string) => {
  await page.goto('/')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
}

describe('people', () => {
  it('come in by the link of the first start, and go on to the first run', async () => {
    await using ada = await sitDown(scene.browser, { url: scene.world.app.url })
    const { page } = ada
    await page.goto('/')
    await page.getByText('Nobody has signed in here yet').waitFor()
    await page.goto(pathOf(scene.world.app.setupLink ?? ''))
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('Password').fill('short')
    await ada.findsItAccessible()
    await page.getByLabel('Password').fill(password)
    await press(page, 'Become the first admin')
    await press(page, 'Start the first run')
    await page.getByText('Completed', { exact: true }).waitFor()
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0)
    ada.sawNoFault()
  })

  it('invite, change a role and remove; who lost the role is asked to sign in again', async () => {
    await using ada = await sitDown(scene.browser, { url: scene.world.app.url })
    await signIn(ada.page, 'ada@example.com')
    await ada.page.getByRole('link', { name: 'People' }).click()
    await press(ada.page, 'Invite')
    const dialog = ada.page.getByRole('dialog')
    await dialog.getByLabel('E-mail address').fill('bob@example.com')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = ada.page.getByLabel('Link of the invitation', { exact: true })
    const path = pathOf((await link.textContent()) ?? '')
    await press(ada.page, 'Done')
    await ada.page.getByRole('list', { name: 'Invitations' }).getByText('bob@').waitFor()

    await using bob = await sitDown(scene.browser, { url: scene.world.app.url })
    await bob.page.goto(path)
    await bob.page.getByLabel('Your name').fill('Bob')
    await bob.page.getByLabel('Password').fill(password)
    await press(bob.page, 'Accept the invitation')
    await bob.page.getByRole('navigation', { name: 'Screens' }).waitFor()

    // An approver answers what waits and sees no control beyond that.
    const started = await scene.world.start('refund {"customer": "C-17", "amount": 500}')
    await started.rests()
    const { pending } = await scene.world.muster.runs.retrieve(started.runId)
    await bob.page.goto(`/workflows/${started.workflowId}`)
    await bob.page.getByRole('heading', { level: 1, name: 'Support' }).waitFor()
    assert.deepEqual(await bob.page.getByRole('main').getByRole('button').allTextContents(), [])
    await bob.page.goto(`/inbox/${pending?.id}`)
    await bob.page.getByRole('article').waitFor()
    await bob.page.keyboard.press('a')
    await bob.page.getByText('You approved it').waitFor()
    await started.rests()
    const run = await scene.world.muster.runs.retrieve(started.runId)
    assert.match(run.steps.at(-1)?.tool_calls[0]?.decided_by ?? '', /^usr_/)

    await ada.page.reload()
    const role = ada.page.getByLabel('Role of Bob')
    await role.selectOption('viewer')
    await press(ada.page, 'Keep the role')
    assert.equal(await role.inputValue(), 'approver')
    await role.selectOption('viewer')
    await press(ada.page, 'Change the role')
    const ended = bob.page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    await ended.getByLabel('Password').fill(password)
    await ended.getByRole('button', { name: 'Sign in', exact: true }).click()
    await ended.waitFor({ state: 'detached' })
    await press(ada.page, 'Remove Bob')
    await press(ada.page, 'Remove them')
    await ada.page.getByText('bob@example.com').waitFor({ state: 'detached' })
    // A page whose stream was cut reads again every ten seconds.
    await ended.waitFor({ timeout: 30_000 })
    await ada.findsItAccessible()
    ada.sawNoFault()
    bob.sawNoFault()
  })

  it('are listed on a phone with their whole address, and what can be done in one line', async () => {
    const { app, muster } = scene.world
    const { id: accountId } = await muster.account.retrieve()
    const long = 'anna-katharina.von-und-zu-hohenstein@spare-parts.example.com'
    await muster.invitations.create({ email: long, role: 'approver' })
    await muster.invitations.create({ email: 'late@example.com', role: 'viewer' })
    await sql`
      update invitations set expires_at = now() - interval '25 hours'
      where account_id = ${accountId} and email = 'late@example.com'`.execute(app.database)
    await using ada = await sitDown(scene.browser, {
      url: app.url,
      width: 390,
      height: 844,
      isPhone: true,
    })
    await signIn(ada.page, 'ada@example.com')
    await ada.page.getByRole('navigation', { name: 'Screens' }).waitFor()
    await ada.page.goto('/people')
    const invited = ada.page.getByRole('list', { name: 'Invitations', exact: true })
    const address = invited.getByText(long)
    await address.waitFor()
    assert.ok(await address.evaluate((one) => one.scrollWidth <= one.clientWidth), 'it is cut')
    const late = invited.getByRole('listitem').filter({ hasText: 'late@example.com' })
    const isInLine = async (one: Locator, other: Locator) => {
      const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()])
      assert.ok(a !== null && b !== null && a.y < b.y + b.height && b.y < a.y + a.height)
    }
    await isInLine(late.getByText('link ended 1 d ago'), late.getByRole('button'))
    const people = ada.page.getByRole('list', { name: 'People', exact: true })
    const own = people.getByRole('listitem').filter({ hasText: 'ada@example.com' })
    await isInLine(own.getByRole('combobox'), own.getByRole('button'))
    await ada.findsItAccessible()
    ada.sawNoFault()
  })

  it('see their sessions, end one and change their name', async () => {
    await using other = await sitDown(scene.browser, { url: scene.world.app.url })
    await signIn(other.page, 'ada@example.com')
    await other.page.getByRole('navigation', { name: 'Screens' }).waitFor()
    await using ada = await sitDown(scene.browser, { url: scene.world.app.url })
    const { page } = ada
    await signIn(page, 'ada@example.com')
    await page.getByRole('button', { name: /Ada · admin/ }).click()
    await page.getByRole('menuitem', { name: 'Profile and sessions' }).click()
    await page.getByLabel('As others see it').fill('Ada Brandt')
    await press(page, 'Save the name')
    await page.getByRole('button', { name: /Ada Brandt · admin/ }).waitFor()
    const sessions = page.getByRole('list', { name: 'Sessions' })
    const before = await sessions.getByRole('listitem').count()
    await sessions.getByRole('button', { name: 'End it' }).first().click()
    await sessions
      .getByRole('listitem')
      .nth(before - 1)
      .waitFor({ state: 'detached' })
    await ada.findsItAccessible()
    await page.getByRole('button', { name: /Ada Brandt · admin/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    ada.sawNoFault()
    other.sawNoFault()
  })

  it('change their password, which does not stay in the page', async () => {
    await using person = await join(scene, 'Bea', 'member')
    const { page } = person
    await page.goto('/profile')
    await page.getByLabel('The one that you have').fill('a long enough one')
    await page.getByLabel('The new one').fill('another long enough one')
    await press(page, 'Change the password')
    await page.getByText('It is changed.').waitFor()
    for (const label of ['The one that you have', 'The new one']) {
      assert.equal(await page.getByLabel(label).inputValue(), '')
    }
    person.sawNoFault()
  })

  it('are told in words when a password is wrong or a link was used', async () => {
    await using eve = await sitDown(scene.browser, { url: scene.world.app.url })
    const { page } = eve
    await page.goto('/runs')
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Password').fill('not the password')
    await press(page, 'Sign in')
    await page
      .getByRole('alert')
      .getByText(/Request req_/)
      .waitFor()
    await page.goto(pathOf(scene.world.app.setupLink ?? ''))
    await page.getByLabel('E-mail address').fill('eve@example.com')
    await page.getByLabel('Your name').fill('Eve')
    await page.getByLabel('Password').fill(password)
    await press(page, 'Become the first admin')
    await page
      .getByRole('alert')
      .getByText(/unknown, used or expired/)
      .waitFor()
    eve.sawNoFault()
  })

  it('sign in through the provider of their organisation', async () => {
    const port = await freePort()
    const publicUrl = `http://127.0.0.1:${port}`
    await using provider = await startOidcProvider(`${publicUrl}/v1/session/oidc/callback`)
    provider.user = { sub: 's-1', email: 'carla@example.com', email_verified: true, name: 'Carla' }
    await using _api = await scene.world.app.startAnother('api', {
      PORT: String(port),
      MUSTER_PUBLIC_URL: publicUrl,
      MUSTER_OIDC_ISSUER: provider.issuer,
      MUSTER_OIDC_CLIENT_ID: provider.clientId,
      MUSTER_OIDC_CLIENT_SECRET: provider.clientSecret,
      MUSTER_OIDC_DEFAULT_ROLE: 'viewer',
    })
    await using carla = await sitDown(scene.browser, { url: publicUrl })
    const { page } = carla
    await page.goto('/runs')
    const way = page.getByRole('link', { name: 'Sign in with your organisation' })
    const begin = await page.request.get((await way.getAttribute('href')) ?? '', {
      maxRedirects: 0,
    })
    // The provider's own pages belong to its test; the browser goes on at what they lead to.
    await page.goto(pathOf(await provider.visit(begin.headers()['location'] ?? '')))
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await page.getByRole('button', { name: /Carla · viewer/ }).waitFor()
    carla.sawNoFault()
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
