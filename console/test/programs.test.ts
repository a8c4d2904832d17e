import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { closeServer, listenOnLoopback } from '../../rig/loopback.ts'
import { startProgram } from '../../server/oauth-server/test-program.ts'
import { setScene } from './scene.ts'
import { focusIn } from './walk.ts'
import { password } from './world.ts'

const { it } = setScene()

/** A program on this computer, which waits for the browser at its redirect address. */
async function listen() {
  const back = Promise.withResolvers<URL>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', redirectUri)
    if (url.pathname === '/callback') back.resolve(url)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>You can close this page</h1>')
  })
  const redirectUri = `http://127.0.0.1:${await listenOnLoopback(server)}/callback`
  return {
    redirectUri,
    back: back.promise,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

async function tabTo(page: Page, words: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await focusIn(page)) === words) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach ${words}`)
}

// The browser goes on to the program, which is another host.
const stranger = { key: undefined, mayFault: true } as const

describe('a program that asks for access', () => {
  it(
    'is allowed by keyboard after a sign-in, listed under Profile, and its access ended',
    stranger,
    async (given) => {
      const { app, page, person, muster, world } = { ...given, world: given }
      await world.addPerson('Olga Orlova', 'member')
      const email = [...(await muster.users.list())].find(
        ({ name }) => name === 'Olga Orlova',
      )?.email
      await using listening = await listen()
      const program = await startProgram(app, {
        client_name: 'Desk helper',
        redirect_uris: [listening.redirectUri],
      })
      await page.goto(program.link({ scope: 'run read answer' }))
      await page.getByLabel('Email').fill(email ?? '')
      await page.getByLabel('Password').fill(password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Let Desk helper act for you?', level: 1 }).waitFor()
      for (const text of ['Olga Orlova · member', 'Start and cancel runs']) {
        await person.sees(text)
      }
      await person.sees('This computer (127.0.0.1)')
      await person.sees(/any program can use this name/)
      await person.findsItAccessible()
      await page.emulateMedia({ colorScheme: 'dark' })
      await person.findsItAccessible()
      await page.emulateMedia({ colorScheme: 'light' })
      await tabTo(page, 'button Allow access')
      await page.keyboard.press('Enter')
      const back = await listening.back
      await page.getByRole('heading', { name: 'You can close this page' }).waitFor()
      const { status, body } = await program.exchange(back.searchParams.get('code') ?? '')
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.scope, 'run read answer')

      await page.goto('/profile')
      const list = page.getByRole('list', { name: 'Programs' })
      await list.getByText('Desk helper').waitFor()
      await person.findsItAccessible()
      await tabTo(page, 'button End access of Desk helper')
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      await tabTo(page, 'button End access')
      await page.keyboard.press('Enter')
      await page.getByText('No programs').waitFor()
      assert.equal((await program.refresh(body.refresh_token)).body.error, 'invalid_grant')
    },
  )

  it('is denied, and told so', { ...stranger, isPhone: true }, async ({ app, addPerson, sit }) => {
    const session = await addPerson('Pia Paulsen', 'approver')
    const pia = await sit({ ...stranger, session, isPhone: true })
    const { page } = pia
    await using listening = await listen()
    const program = await startProgram(app, { redirect_uris: [listening.redirectUri] })
    await page.goto(program.link())
    await page.getByRole('button', { name: 'Deny' }).waitFor()
    await pia.fitsWindow()
    await pia.press('Deny')
    const { searchParams } = await listening.back
    assert.deepEqual(
      [searchParams.get('error'), searchParams.get('code'), searchParams.get('iss')],
      ['access_denied', null, app.url],
    )
  })

  it('acts for people alone, and an old request says what to do', async ({
    app,
    page,
    person,
    join,
  }) => {
    const program = await startProgram(app)
    await page.goto(program.link())
    await page.getByRole('heading', { name: 'Sign in as a person' }).waitFor()
    await person.findsItAccessible()
    const quinn = await join('Quinn Quist', 'member')
    await quinn.page.goto('/authorize?request=AQold')
    await quinn.page
      .getByRole('alert')
      .getByText(/start again in the program/)
      .waitFor()
    await quinn.findsItAccessible()
  })
})
