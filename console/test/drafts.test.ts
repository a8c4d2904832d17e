import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

const dialogs = (page: Page): Locator => page.getByRole('dialog')

describe('what is typed', () => {
  it('into a page is there again after a reload', async (given) => {
    const { page, join, muster, start, openCase } = given
    const person = await join('Ada', 'admin')
    const started = await start(refundScript)
    const hook = await muster.hooks.create({
      name: 'Orders',
      workflow_id: started.workflowId,
      scheme: 'none',
    })
    const isKept = async (on: Page, label: string, text: string) => {
      const field = on.getByRole('textbox', { name: new RegExp(`^${label}`) })
      await field.click()
      await on.keyboard.press('ControlOrMeta+a')
      await on.keyboard.type(text)
      await on.reload()
      await field.waitFor()
      assert.equal(await field.inputValue(), text)
    }
    await openCase(page, started)
    await isKept(page, 'Comment', 'Ask accounting first.')
    await page.getByRole('button', { name: 'Add comment' }).click()
    await page.getByRole('list', { name: 'Comments' }).getByText('Ask accounting').waitFor()
    assert.equal(await page.getByLabel('Comment', { exact: true }).inputValue(), '')
    for (const [path, label] of [
      ['/people', 'Account name'],
      ['/profile', 'Display name'],
      [`/inbound-hooks/${hook.id}`, 'Filter'],
      [`/inbound-hooks/${hook.id}`, 'Sample body'],
    ] as const) {
      await person.page.goto(path)
      await isKept(person.page, label, 'body.kind == "order"')
    }
  })
})

describe('a form in a dialog', () => {
  it('opens in its first field, and asks before it drops what was typed', async (given) => {
    const { page, press } = given
    await page.goto('/channels')
    await page.getByRole('button', { name: 'New channel' }).focus()
    await page.keyboard.press('Enter')
    await dialogs(page).locator(':focus').waitFor()
    await page.keyboard.type('Alarms')
    await page.keyboard.press('Escape')
    await page.getByText('What you entered is not saved.').waitFor()
    // Escape keeps the text, and so does a click beside the dialog.
    await page.keyboard.press('Escape')
    await page.getByText('What you entered is not saved.').waitFor({ state: 'detached' })
    await page.keyboard.type(' at night')
    await page.mouse.click(5, 5)
    await press('Keep editing')
    assert.equal(await dialogs(page).getByLabel('Name').inputValue(), 'Alarms at night')
    await press('Close')
    await press('Discard')
    await dialogs(page).waitFor({ state: 'detached' })
    await press('New channel')
    assert.equal(await dialogs(page).getByLabel('Name').inputValue(), '')
    // Nothing typed, nothing asked.
    await page.keyboard.press('Escape')
    await dialogs(page).waitFor({ state: 'detached' })
  })

  it('has what was typed after a reload, and forgets it when it is saved', async (given) => {
    const { page, press } = given
    await page.goto('/api-keys')
    await press('New key')
    await page.keyboard.type('Nightly')
    await page.reload()
    await press('New key')
    await page.getByText('Your unsaved changes are here.').waitFor()
    assert.equal(await dialogs(page).getByLabel('Name').inputValue(), 'Nightly')
    await press('Create key')
    await press('I have stored it')
    await press('New key')
    assert.equal(await dialogs(page).getByLabel('Name').inputValue(), '')
  })

  it('never stores a secret, and asks before a page is left with one', async (given) => {
    const { page, press } = given
    await page.goto('/mailboxes')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto('/channels')
    await press('New channel')
    await dialogs(page).getByLabel('Kind').selectOption('slack')
    await dialogs(page).getByLabel('Bot token').pressSequentially('xoxb-very-secret')
    const asked = page.waitForEvent('dialog')
    page.once('dialog', (dialog) => void dialog.dismiss())
    const [dialog] = await Promise.all([asked, page.reload({ timeout: 1_000 }).catch(() => {})])
    assert.equal(dialog.type(), 'beforeunload')
    await page.keyboard.press('Escape')
    await press('Discard')
    const kept = await page.evaluate('JSON.stringify(sessionStorage)')
    assert.doesNotMatch(String(kept), /very-secret/)
  })
})
