import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { isTitled, setScene } from './scene.ts'
import { focusIn, keepsFocus } from './walk.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

const press = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).first().focus()
  await page.keyboard.press('Enter')
}

describe('the focus', () => {
  it('is on the heading after each change of page', async (given) => {
    const { page, person, start } = given
    const { runId } = await start('say Done.', { name: 'Reports' })
    await page.goto('/')
    await person.seesAll()
    const headingHas = async (name: string | RegExp) => {
      const heading = page.getByRole('heading', { level: 1, name })
      await heading.waitFor()
      await page.locator('main :focus').waitFor()
      await keepsFocus(person, `The page ${page.url()}`)
      assert.ok(
        await heading.evaluate((one) => one === one.ownerDocument.activeElement),
        `${page.url()}: the focus is in ${await focusIn(page)}`,
      )
    }
    const screens = page.getByRole('navigation', { name: 'Screens' })
    for (const name of ['Workflows', 'Agents', 'Usage', 'Inbox', 'Runs']) {
      await screens.getByRole('link', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
      await headingHas(name)
    }
    await page.locator(`a[href="/runs/${runId}"]`).first().focus()
    await page.keyboard.press('Enter')
    await headingHas('Reports')
    await page.goBack()
    await headingHas('Runs')
    await page.keyboard.type('ga')
    await headingHas('Agents')
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('Budgets')
    await page.keyboard.press('Enter')
    await headingHas('Budgets')
    await isTitled(page, /Budgets/)
  })

  it('goes into the menu of the account, and back to its button', async ({ page }) => {
    await page.goto('/')
    const button = page.getByRole('button', { name: /· admin/ })
    await button.press('Enter')
    await page.getByRole('menuitem', { name: 'Documentation' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.locator('[role^=menuitem]:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: '· admin' }).waitFor()
    assert.equal(await page.getByRole('menuitem').count(), 0)
  })

  it('is on the outcome after an answer, and on the button of an edit that was left', async (given) => {
    const { page, person, start, openCase } = given
    await openCase(page, await start(refundScript, { name: 'First' }))
    for (const [button, key] of [
      ['Edit', 'e'],
      ['Reject', 'r'],
    ] as const) {
      await page.keyboard.press(key)
      await page.locator('form :focus').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: button, exact: true }).waitFor()
      await keepsFocus(person, `Escape from ${button}`)
      assert.match((await focusIn(page)) ?? '', new RegExp(`^button ${button}`))
    }
    await press(page, 'Approve')
    await page.locator(':focus', { hasText: 'You approved this' }).waitFor()
    // The focus has it read: a live region would say it again.
    assert.equal(await page.getByRole('status').filter({ hasText: 'You approved' }).count(), 0)
    await keepsFocus(person, 'Approve')
  })

  it('stays where an entry was removed or moved, and after Discard and Publish', async (given) => {
    const { page, person, muster } = given
    const crew = ['planner', 'writer', 'editor'].map((role) => ({ role, systemPrompt: 'Work.' }))
    const { id } = await muster.workflows.create({ name: 'Crew of three', crew })
    await page.goto(`/workflows/${id}`)
    await page
      .getByRole('button', { name: /^Remove / })
      .first()
      .waitFor()
    const names = await page
      .locator('main button')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent))
    const find = (pattern: RegExp) => names.find((name) => pattern.test(name ?? '')) ?? ''
    for (const name of [find(/^Move .*(down|later)/i), find(/^Remove /)]) {
      assert.notEqual(name, '')
      await press(page, name)
      await keepsFocus(person, name)
      assert.doesNotMatch((await focusIn(page)) ?? '', /^main/)
    }
    await press(page, 'Discard')
    await keepsFocus(person, 'Discard')
    await press(page, find(/^Remove /))
    await press(page, 'Publish')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    await keepsFocus(person, 'Publish')
  })

  it('goes to the next row when one is deleted, and to the heading after the last', async (given) => {
    const { page, person, muster } = given
    for (const name of ['One', 'Two']) {
      await muster.channels.create({ name, kind: 'email', recipients: ['ada@example.com'] })
      await muster.api_keys.create({ name, role: 'viewer' })
    }
    await page.goto('/channels')
    for (const left of [/One|Two/, /Channels/]) {
      await press(page, 'Delete')
      await press(page, 'Delete channel')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await keepsFocus(person, 'Delete channel')
      assert.match((await focusIn(page)) ?? '', left)
    }
    await page.goto('/api-keys')
    await press(page, 'Revoke One')
    await press(page, 'Revoke it')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await keepsFocus(person, 'Revoke')
    assert.match((await focusIn(page)) ?? '', /^li/)
  })
})
