import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe } from 'node:test'
import { sql } from 'kysely'
import type { Locator } from 'playwright-core'
import { SMTPServer } from 'smtp-server'
import { until } from '../../rig/until.ts'
import { startOidcProvider } from '../../rig/oidc-provider.ts'
import type { Person } from './person.ts'
import { setScene } from './scene.ts'
import { password } from './world.ts'

// The service has no users yet.
const { it } = setScene({ isNew: true })

const stranger = { key: undefined }
const pathOf = (link: string) => link.slice(new URL(link).origin.length)
const signIn = async ({ page, press }: Person, secret = password) => {
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Password').fill(secret)
  await press('Sign in')
}

describe('people', () => {
  it(
    'come in by the link of the first start, and go on to the first run',
    stranger,
    async (given) => {
      const { app, page, person, press, muster } = given
      await page.goto('/')
      await page.getByText('Nobody has signed in here yet').waitFor()
      // The demo's link goes on to its run.
      const { id } = await muster.workflows.create({ name: 'Of the link' })
      const goOn = `/setup?return_to=/workflows/${id}#`
      await page.goto(pathOf(app.setupLink ?? '').replace('/setup#', goOn))
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByLabel('Your name').fill('Ada')
      await page.getByLabel('Password').fill('short')
      await person.findsItAccessible()
      await page.getByLabel('Password').fill(password)
      await press('Create admin account')
      await page.getByRole('heading', { name: 'Of the link' }).waitFor()
      await page.goto('/')
      await press('Start first run')
      await page.getByText('Completed', { exact: true }).waitFor()
      await page.getByRole('list', { name: 'Timeline' }).getByText('writer').click()
      await page.getByRole('region', { name: 'Detail: writer' }).waitFor()
      await person.findsItAccessible()
      assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0)
    },
  )

  it('invite, change a role and remove; who lost the role is asked to sign in again', async (given) => {
    const { start, sit, openCase } = given
    const ada = await sit(stranger)
    await ada.page.goto('/people')
    await signIn(ada)
    await ada.press('Invite')
    const dialog = ada.page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('bob@example.com')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = ada.page.getByLabel('Link of the invitation', { exact: true })
    const path = pathOf((await link.textContent()) ?? '')
    await ada.press('Done')
    await ada.page.getByRole('list', { name: 'Invitations' }).getByText('bob@').waitFor()

    await ada.page.getByLabel('Account name').fill('Acme Support')
    await ada.press('Save account name')
    await ada.page.getByRole('button', { name: /^Acme Support/ }).waitFor()
    await ada.findsItAccessible()

    const bob = await sit(stranger)
    await bob.page.goto(path)
    await bob.page.getByLabel('Your name').fill('Bob')
    await bob.page.getByLabel('Password').fill(password)
    await bob.press('Accept invitation')
    await bob.page.getByRole('navigation', { name: 'Screens' }).waitFor()

    // An approver can answer waiting calls and sees no other control.
    const started = await start('refund {"customer": "C-17", "amount": 500}')
    await bob.page.goto(`/workflows/${started.workflowId}`)
    await bob.page.getByRole('heading', { level: 1, name: 'Support' }).waitFor()
    assert.deepEqual(await bob.page.getByRole('main').getByRole('button').allTextContents(), [])
    await openCase(bob.page, started)
    await bob.page.keyboard.type('aa')
    await bob.page.getByText('You approved this').waitFor()
    assert.match((await started.result()).call?.decided_by ?? '', /^usr_/)

    await ada.page.reload()
    const role = ada.page.getByLabel('Role of Bob')
    await role.selectOption('viewer')
    await ada.press('Keep the role')
    assert.equal(await role.inputValue(), 'approver')
    await role.selectOption('viewer')
    await ada.press('Change the role')
    const ended = bob.page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    await ended.getByLabel('Password').fill(password)
    await ended.getByRole('button', { name: 'Sign in', exact: true }).click()
    await ended.waitFor({ state: 'detached' })
    await ada.press('Remove Bob')
    await ada.press('Remove them')
    await ada.page.getByText('bob@example.com').waitFor({ state: 'detached' })
    // A page whose event stream was cut reads again every ten seconds.
    await ended.waitFor({ timeout: 30_000 })
    await ada.findsItAccessible()
  })

  it('are listed on a phone with their whole address, and what can be done in one line', async (given) => {
    const { muster, app, sit } = given
    const { id: accountId } = await muster.account.retrieve()
    const long = 'anna-katharina.von-und-zu-hohenstein@spare-parts.example.com'
    await muster.invitations.create({ email: long, role: 'approver' })
    await muster.invitations.create({ email: 'late@example.com', role: 'viewer' })
    await sql`
      update invitations set expires_at = now() - interval '25 hours'
      where account_id = ${accountId} and email = 'late@example.com'`.execute(app.database)
    const ada = await sit({ ...stranger, isPhone: true })
    await ada.page.goto('/people')
    await signIn(ada)
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
  })

  it('see their sessions, end one and change their name', async ({ sit }) => {
    const [other, ada] = [await sit(stranger), await sit(stranger)]
    for (const one of [other, ada]) {
      await one.page.goto('/')
      await signIn(one)
      await one.page.getByRole('navigation', { name: 'Screens' }).waitFor()
    }
    const { page, press } = ada
    await page.getByRole('button', { name: /Ada · admin/ }).click()
    await page.getByRole('menuitem', { name: 'Profile and sessions' }).click()
    await page.getByLabel('Display name').fill('Ada Brandt')
    await press('Save name')
    await page.getByRole('button', { name: /Ada Brandt · admin/ }).waitFor()
    const sessions = page.getByRole('list', { name: 'Sessions' })
    const before = await sessions.getByRole('listitem').count()
    await sessions
      .getByRole('listitem')
      .filter({ hasNotText: 'this one' })
      .first()
      .getByRole('button')
      .click()
    await sessions
      .getByRole('listitem')
      .nth(before - 1)
      .waitFor({ state: 'detached' })
    await ada.findsItAccessible()
    await page.getByRole('button', { name: /Ada Brandt · admin/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
  })

  it('change their password, which does not stay in the page', async ({ join }) => {
    const { page, press } = await join('Bea', 'member')
    await page.goto('/profile')
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill('another long enough one')
    await press('Change password')
    await page.getByText('Password changed.').waitFor()
    for (const label of ['Current password', 'New password']) {
      assert.equal(await page.getByLabel(label).inputValue(), '')
    }
  })

  it('are told in words when a password is wrong or a link was used', stranger, async (given) => {
    const { app, page, person, press } = given
    await page.goto('/runs')
    await signIn(person, 'not the password')
    await page
      .getByRole('alert')
      .getByText(/Request req_/)
      .waitFor()
    await page.goto(pathOf(app.setupLink ?? ''))
    await page.getByLabel('Email').fill('eve@example.com')
    await page.getByLabel('Your name').fill('Eve')
    await page.getByLabel('Password').fill(password)
    await press('Create admin account')
    await page
      .getByRole('alert')
      .getByText(/unknown, used or expired/)
      .waitFor()
  })

  // Requests to the provider go to another host, which counts as a fault of the page elsewhere.
  it(
    'sign in through the provider of their organisation',
    { mayFault: true },
    async ({ app, muster, sit }) => {
      const port = await freePort()
      const publicUrl = `http://127.0.0.1:${port}`
      await using provider = await startOidcProvider(`${publicUrl}/v1/session/oidc/callback`)
      provider.user = {
        sub: 's-1',
        email: 'carla@example.com',
        email_verified: true,
        name: 'Carla',
      }
      await using _api = await app.startAnother('api', {
        PORT: String(port),
        MUSTER_PUBLIC_URL: publicUrl,
        MUSTER_OIDC_ISSUER: provider.issuer,
        MUSTER_OIDC_CLIENT_ID: provider.clientId,
        MUSTER_OIDC_CLIENT_SECRET: provider.clientSecret,
        MUSTER_OIDC_DEFAULT_ROLE: 'viewer',
        MUSTER_OIDC_ALLOWED_DOMAINS: 'example.com',
      })
      const carla = await sit({ ...stranger, url: publicUrl })
      const { page } = carla
      await page.goto('/runs')
      const way = page.getByRole('link', { name: 'Sign in with your organisation' })
      const begin = await page.request.get((await way.getAttribute('href')) ?? '', {
        maxRedirects: 0,
      })
      // The provider's pages are not under test; the browser continues at the address they redirect
      // to.
      await page.goto(pathOf(await provider.visit(begin.headers()['location'] ?? '')))
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
      await page.getByRole('button', { name: /Carla · viewer/ }).waitFor()

      // Signing out leads to the provider, because the session there would sign the person in
      // again.
      const left = page.waitForRequest((request) => request.url().startsWith(provider.issuer))
      await page.getByRole('button', { name: /Carla · viewer/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      const ended = new URL((await left).url())
      assert.equal(ended.pathname, '/session/end')
      assert.ok(ended.searchParams.get('id_token_hint'))
      await page.waitForURL((url) => url.href.startsWith(provider.issuer))

      // A refused sign-in shows its reason and offers to choose another account.
      provider.user = { sub: 's-2', email: 'eve@elsewhere.example', email_verified: true }
      await page.goto('/runs')
      const again = await page.request.get((await way.getAttribute('href')) ?? '', {
        maxRedirects: 0,
      })
      await page.goto(pathOf(await provider.visit(again.headers()['location'] ?? '')))
      await page.getByRole('alert').getByText('The domain of your email address').waitFor()
      const another = page.getByRole('link', { name: 'Use another account' })
      const link = new URL((await another.getAttribute('href')) ?? '', publicUrl)
      assert.deepEqual(Object.fromEntries(link.searchParams), {
        return_to: '/runs',
        prompt: 'select_account',
      })
      await carla.findsItAccessible()

      // An invitation is accepted this way too: by the address that the provider has verified.
      const invited = 'fred@example.com'
      const invitation = await muster.invitations.create({ email: invited, role: 'approver' })
      provider.user = { sub: 's-3', email: invited, email_verified: true, name: 'Fred' }
      await page.goto(pathOf(invitation.link))
      await carla.findsItAccessible()
      const accept = await page.request.get((await way.getAttribute('href')) ?? '', {
        maxRedirects: 0,
      })
      await page.goto(pathOf(await provider.visit(accept.headers()['location'] ?? '')))
      await page.getByRole('button', { name: /Fred · approver/ }).waitFor()
      await page.request.delete('/v1/session')

      // Under another host name of the service, the link leads to the public URL, which the
      // provider knows.
      await page.goto(publicUrl.replace('127.0.0.1', 'localhost'))
      const elsewhere = (await way.getAttribute('href')) ?? ''
      assert.ok(elsewhere.startsWith(`${publicUrl}/v1/session/oidc?`), elsewhere)
    },
  )

  it('are told that the provider of their organisation is away, and try again', async (given) => {
    const { app, sit } = given
    const port = await freePort()
    await using _api = await app.startAnother('api', {
      PORT: String(port),
      MUSTER_PUBLIC_URL: `http://127.0.0.1:${port}`,
      MUSTER_OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
      MUSTER_OIDC_CLIENT_ID: 'muster',
    })
    const person = await sit({ ...stranger, url: `http://127.0.0.1:${port}` })
    const { page } = person
    await page.goto('/runs')
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('return_to'), '/runs')
    await person.findsItAccessible()
  })

  it('set a new password by a link, where the service sends email', async (given) => {
    const { app, sit } = given
    const texts: string[] = []
    const mail = new SMTPServer({
      logger: false,
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, _session, done) => {
        let text = ''
        stream.on('data', (part: Buffer) => (text += part.toString()))
        stream.on('end', () => {
          texts.push(text.replaceAll('=\r\n', ''))
          done()
        })
      },
    })
    const sockets = new Set<Socket>()
    mail.server.on('connection', (socket: Socket) => sockets.add(socket))
    await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve))
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    await using _api = await app.startAnother('api', {
      PORT: String(port),
      MUSTER_PUBLIC_URL: url,
      MUSTER_SMTP_URL: `smtp://127.0.0.1:${(mail.server.address() as AddressInfo).port}`,
      MUSTER_EMAIL_FROM: 'muster@example.com',
    })
    const person = await sit({ ...stranger, url })
    const { page, press } = person
    await page.goto('/')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByLabel('Email').fill('ada@example.com')
    await person.findsItAccessible()
    await press('Send link')
    await page.getByText('a link is on its way').waitFor()
    await until('the mail', 15_000, async () => texts.length === 1)
    // A client may keep its end of a connection open.
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => mail.close(resolve))
    const [path = ''] = /\/reset-password#[\w-]+/.exec(texts[0] ?? '') ?? []
    await page.goto(path)
    await page.getByLabel('New password').fill(password)
    await person.findsItAccessible()
    await press('Save new password')
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  })

  it('are unlinked from the provider by an admin, who corrects their address too', async (given) => {
    const { app, muster, join, sit } = given
    await join('Dora', 'member')
    const { id, email } = (await muster.users.list()).find(({ name }) => name === 'Dora') ?? {}
    await sql`
      update users set oidc_issuer = 'https://login.example.com', oidc_subject = 'dora'
      where id = ${id}`.execute(app.database)
    const ada = await sit(stranger)
    const { page, press } = ada
    await page.goto('/people')
    await signIn(ada)
    const row = page.getByRole('listitem').filter({ hasText: email ?? '' })
    await row.getByText('Account', { exact: true }).click()
    await row.getByText('Linked to https://login.example.com as dora').waitFor()
    await press('Unlink identity of Dora')
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink identity' }).click()
    await row.getByText('Not linked to a provider.').waitFor()
    await press('Change email of Dora')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('ada@example.com')
    await dialog.getByRole('button', { name: 'Change email' }).click()
    await dialog.getByText(/is taken/).waitFor()
    await ada.findsItAccessible()
    await dialog.getByLabel('Email').fill('dora.new@example.com')
    await dialog.getByRole('button', { name: 'Change email' }).click()
    await page.getByText('dora.new@example.com').waitFor()
    await ada.findsItAccessible()
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
