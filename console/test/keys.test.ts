import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

/** Has every shortcut of the console, alone and in sequence. */
const words = 'g i a A e r x j k ? / You are an agent, Dear Ann. ga gi gr longer'

const editors = (page: Page) => page.locator('[contenteditable]:visible')
const dialogs = (page: Page) => page.getByRole('dialog')

const openAll = (page: Page) =>
  page.locator('details').evaluateAll((all) => {
    for (const one of all) one.setAttribute('open', '')
  })

/** Types into every editor and field; nothing but the text may change. Returns the editors' labels. */
async function typeIntoAll(page: Page, within = page.locator('body')): Promise<string[]> {
  const { pathname } = new URL(page.url())
  const fields = within.locator('[contenteditable]:visible, textarea:visible')
  const labels: string[] = []
  const count = await fields.count()
  const open = await dialogs(page).count()
  for (let index = 0; index < count; index++) {
    const field = fields.nth(index)
    await field.click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(words)
    labels.push((await field.getAttribute('aria-label')) ?? '')
    const isTyped = await field.evaluate(
      (element, words) =>
        ('value' in element ? String(element.value) : (element.textContent ?? '')).includes(words),
      words,
    )
    assert.ok(isTyped, `field ${index} of ${pathname} has the words`)
    assert.equal(new URL(page.url()).pathname, pathname)
    assert.equal(await dialogs(page).count(), open, 'no dialog was opened')
  }
  return labels
}

describe('keys', () => {
  it('do nothing while a person types into an editor or a field of a page', async (given) => {
    const { page, person, muster, start, openCase } = given
    const waiting = await start(`${refundScript}\n${refundScript}`, { name: 'Two refunds' })
    const { agentId, workflowId } = waiting
    const cases = async () => JSON.stringify(await muster.pending.list())
    const before = await cases()
    const typed = new Set<string>()
    const typeHere = async () => {
      for (const label of await typeIntoAll(page)) typed.add(label)
    }
    await page.goto(`/agents/${agentId}`)
    await editors(page).first().waitFor()
    await openAll(page)
    await page.locator('[contenteditable][aria-label="Output schema"]').waitFor()
    await typeHere()
    await page.goto(`/workflows/${workflowId}`)
    await page.getByRole('tab').first().waitFor()
    await person.seesAll()
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click()
      await openAll(page)
      await typeHere()
    }
    // An edit as JSON, beside another call that "A" would approve with it.
    await openCase(page, waiting)
    await page.getByRole('button', { name: 'Edit' }).first().click()
    await page.getByRole('button', { name: 'As JSON' }).click()
    await editors(page).waitFor()
    await typeHere()
    const all = ['Instructions', 'Input schema', 'Output schema', 'Input data', 'Arguments as JSON']
    assert.deepEqual(new Set(all).difference(typed), new Set())
    assert.equal(await cases(), before, 'nothing was decided')
  })

  it('do nothing while a dialog is open, wherever its focus is', async ({ page, start }) => {
    const { workflowId } = await start('say Done.')
    for (const [path, button] of [
      [`/workflows/${workflowId}`, undefined],
      ['/schedules', 'New schedule'],
      ['/inbound-hooks', 'New hook'],
    ] as const) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      if (button === undefined) await page.keyboard.press('?')
      else await page.getByRole('button', { name: button }).first().click()
      await dialogs(page).waitFor()
      await typeIntoAll(page, dialogs(page))
      await dialogs(page).getByRole('heading').first().click()
      await page.keyboard.type('g i r ?')
      assert.equal(new URL(page.url()).pathname, path)
      assert.equal(await dialogs(page).count(), 1)
    }
  })

  it('decide only in the case, or when pressed twice in a row', async (given) => {
    const { page, start, openCase, muster } = given
    const [one, two, three] = [
      await start(refundScript, { name: 'First' }),
      await start(refundScript, { name: 'Second' }),
      await start(refundScript, { name: 'Third' }),
    ]
    const decided: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') decided.push(request.url())
    })
    await openCase(page, one)
    const hint = page.getByText('Press a again to approve')
    await page.keyboard.press('a')
    await hint.waitFor()
    await page.keyboard.press('Shift')
    await page.keyboard.press('z')
    await hint.waitFor({ state: 'detached' })
    await page.keyboard.down('a')
    await hint.waitFor()
    // A key that is held down repeats.
    for (let count = 0; count < 3; count++) await page.keyboard.down('a')
    await page.keyboard.up('a')
    assert.deepEqual(decided, [])
    await page.keyboard.press('a')
    await page.getByText('You approved this').waitFor()
    // The case that the person stepped to has the focus.
    const next = page.getByRole('article', { name: 'Case: Second' })
    while (!(await next.isVisible())) {
      const { pathname } = new URL(page.url())
      await page.keyboard.press('j')
      await page.waitForURL((url) => url.pathname !== pathname)
    }
    assert.ok(await next.evaluate((element) => element === element.ownerDocument.activeElement))
    await page.keyboard.press('a')
    await page.getByText('You approved this').waitFor()
    // A sequence that ends with the key of a decision decides nothing.
    await openCase(page, three)
    await page.getByRole('article').getByRole('heading').first().click()
    await page.keyboard.type('ga')
    await page.waitForURL('**/agents')
    for (const { runId } of [one, two]) {
      assert.equal((await muster.runs.wait(runId)).status, 'completed')
    }
    assert.equal((await muster.runs.retrieve(three.runId)).status, 'waiting_input')
    assert.equal(decided.length, 2)
  })

  it('decide the call that has the focus, not the first', async ({
    page,
    start,
    openCase,
    muster,
  }) => {
    const refund = (customer: string) =>
      `refund ${JSON.stringify({ customer, amount: 10, reason: 'late' })}`
    const started = await start(`${refund('C-1')}\n${refund('C-2')}`, { name: 'Both' })
    await openCase(page, started)
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem')
    const second = calls.filter({ has: page.getByRole('heading') }).nth(1)
    await second.getByRole('heading').first().click()
    await page.keyboard.press('a')
    await second.getByText('You approved this').waitFor()
    const { steps } = await muster.runs.retrieve(started.runId)
    const decisions = steps.flatMap(({ tool_calls: calls }) => calls.map((one) => one.decision))
    assert.deepEqual(decisions, [null, 'approved'])
  })

  it('are turned off in the profile', async ({ join, start, openCase, muster }) => {
    const { page, findsItAccessible } = await join('Ada', 'member')
    const started = await start(refundScript, { name: 'Quiet' })
    await page.goto('/profile')
    const setting = page.locator('main').getByLabel('Single-key shortcuts')
    await setting.uncheck()
    await findsItAccessible()
    await openCase(page, started)
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    assert.equal(await page.locator('article kbd').count(), 0)
    const { pathname } = new URL(page.url())
    await page.keyboard.type('aae?gr/')
    assert.equal(new URL(page.url()).pathname, pathname)
    assert.equal(await dialogs(page).count(), 0)
    assert.equal((await muster.runs.retrieve(started.runId)).status, 'waiting_input')
    await page.keyboard.press('ControlOrMeta+k')
    await dialogs(page).waitFor()
    await page.goto('/profile')
    await setting.waitFor()
    assert.equal(await setting.isChecked(), false, 'the setting is kept')
    await setting.check()
    await page.keyboard.press('?')
    await dialogs(page).getByText('act at once while the focus is inside the case').waitFor()
    await dialogs(page).getByLabel('Single-key shortcuts').uncheck()
    assert.equal(await setting.isChecked(), false)
  })

  it('fold the groups of the navigation, which the browser remembers', async ({ page, person }) => {
    await page.goto('/')
    const navigation = page.getByRole('navigation', { name: 'Screens' })
    const costs = navigation.getByRole('button', { name: 'Costs' })
    await navigation.getByRole('link', { name: 'Usage' }).waitFor()
    await costs.focus()
    await page.keyboard.press('Enter')
    assert.equal(await costs.getAttribute('aria-expanded'), 'false')
    assert.equal(await navigation.getByRole('link', { name: 'Usage' }).count(), 0)
    // What is folded is no stop of the Tab key.
    await page.keyboard.press('Tab')
    const focused = await page.evaluate('document.activeElement.textContent')
    assert.equal(focused, 'Account')
    await person.findsItAccessible()
    await page.reload()
    await costs.waitFor()
    assert.equal(await costs.getAttribute('aria-expanded'), 'false')
    await costs.press('Space')
    await navigation.getByRole('link', { name: 'Usage' }).waitFor()
  })
})
