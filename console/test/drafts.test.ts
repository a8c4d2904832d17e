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

describe('an answer that is being written', () => {
  it('stays when another person answers, with the words that the request is closed', async (given) => {
    const { page, start, openCase, muster, respond, person } = given
    const edited = await start(refundScript)
    await openCase(page, edited)
    await page.keyboard.press('e')
    await page.locator('form :focus').waitFor()
    const amount = page.getByLabel('amount')
    await amount.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('12')
    await respond(edited.runId, { action: 'approve' })
    await page.getByText('Already answered by').waitFor()
    await page.getByText('What you typed stays here until you discard it.').waitFor()
    assert.equal(await amount.inputValue(), '12')
    assert.ok(await amount.evaluate((one) => one === one.ownerDocument.activeElement))
    await page.keyboard.type('3')
    await page.keyboard.press('Enter')
    await person.seesAll()
    assert.equal((await edited.result()).call?.input?.['amount'], 500)
    await person.findsItAccessible()
    // The page of a closed request no longer knows the action, but has the text.
    await page.reload()
    const unsent = page.getByRole('region', { name: 'Your unsent text' })
    await unsent.getByText('"123"').waitFor()
    await unsent.getByRole('button', { name: 'Discard' }).click()
    await unsent.waitFor({ state: 'detached' })

    const asked = await start('ask {"question": "Which line?"}')
    await openCase(page, asked)
    await page.keyboard.press('r')
    await page.getByLabel('Your answer').waitFor()
    await page.getByLabel('Your answer').focus()
    await page.keyboard.type('Line 4, I think.')
    await page.getByLabel('Comment', { exact: true }).focus()
    await page.keyboard.type('Who knows more?')
    await muster.runs.cancel(asked.runId)
    await page.getByText('The run was cancelled').waitFor()
    assert.equal(await page.getByLabel('Your answer').inputValue(), 'Line 4, I think.')
    assert.equal(await page.getByLabel('Comment', { exact: true }).inputValue(), 'Who knows more?')
    for (const left of [1, 0]) {
      await page.getByRole('button', { name: 'Discard' }).first().click()
      await page.getByRole('button', { name: 'Discard' }).nth(left).waitFor({ state: 'detached' })
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
