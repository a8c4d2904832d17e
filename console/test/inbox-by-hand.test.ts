import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

describe('the inbox, all of it,', () => {
  it('is worked by the keyboard alone', async ({ page, person, start }) => {
    const [edited, rejected, asked] = [
      await start(refundScript, { name: 'First' }),
      await start(refundScript, { name: 'Second' }),
      await start('ask {"question": "Which line?"}', { name: 'Third' }),
    ]
    const { keyboard } = page
    const isAt = (name: string) => page.getByRole('article', { name: `Case: ${name}` }).waitFor()
    await page.goto('/')
    await person.seesAll()
    // A fast typist presses the second key before releasing the first.
    for (const key of ['g', 'i']) await keyboard.down(key)
    for (const key of ['g', 'i']) await keyboard.up(key)
    await isAt('First')
    await keyboard.press('j')
    await isAt('Second')
    await keyboard.press('k')
    await isAt('First')
    await keyboard.press('e')
    await page.locator('form :focus').waitFor()
    await tabTo(page, 'amount')
    await keyboard.press('ControlOrMeta+a')
    await keyboard.type('12')
    // Escape leaves the form; opening it again shows the text that was typed.
    await keyboard.press('Escape')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await keyboard.press('e')
    await page.locator('form :focus').waitFor()
    assert.equal(await page.getByLabel('amount').inputValue(), '12')
    await tabTo(page, 'Approve with changes')
    await keyboard.press('Enter')
    await page.getByText('You approved this').waitFor()
    for (const [name, words, button, done] of [
      ['Second', 'Not today.', 'Reject', 'You rejected this'],
      ['Third', 'Line 4.', 'Send answer', 'Answer sent'],
    ] as const) {
      await keyboard.press('j')
      await isAt(name)
      await keyboard.press('r')
      await keyboard.type(words)
      await tabTo(page, button)
      await keyboard.press('Enter')
      await page.getByText(done).waitFor()
    }
    assert.equal((await edited.result()).call?.input?.['amount'], 12)
    assert.match((await rejected.result()).run.output ?? '', /Not today\./)
    assert.match((await asked.result()).run.output ?? '', /Line 4\./)
  })

  it('is worked with one thumb on a phone', { isPhone: true }, async ({ page, person, start }) => {
    const [approved, edited, rejected, asked] = [
      await start(refundScript, { name: 'On the road' }),
      await start(refundScript, { name: 'Less of it' }),
      await start(refundScript, { name: 'None of it' }),
      await start('ask {"question": "Which line?"}', { name: 'A question' }),
    ]
    await page.goto('/')
    const tap = (name: string) => page.getByRole('button', { name, exact: true }).tap()
    const turnTo = async (name: string) => {
      await page.getByRole('navigation').getByRole('link', { name: 'Inbox' }).tap()
      await page.getByRole('list', { name: 'Cases' }).getByText(name).tap()
      await page.getByRole('article', { name: `Case: ${name}` }).waitFor()
      await person.fitsWindow()
      await person.findsItAccessible()
    }
    await turnTo('On the road')
    await tap('Approve')
    await page.getByText('You approved this').waitFor()
    await turnTo('Less of it')
    await tap('Edit')
    await page.getByLabel('amount').fill('12')
    await tap('Approve with changes')
    await page.getByText('You approved this').waitFor()
    await turnTo('None of it')
    await tap('Reject')
    await page.getByLabel('Reason').fill('Not today.')
    await tap('Reject')
    await page.getByText('You rejected this').waitFor()
    await turnTo('A question')
    await page.getByLabel('Your answer').fill('Line 4.')
    await tap('Send answer')
    await page.getByText('Answer sent').waitFor()
    assert.equal((await approved.result()).run.status, 'completed')
    assert.equal((await edited.result()).call?.input?.['amount'], 12)
    assert.equal((await rejected.result()).call?.decision, 'rejected')
    assert.match((await asked.result()).run.output ?? '', /Line 4\./)
  })
})

/** Presses Tab until the element of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const target = page
    .getByLabel(name)
    .or(page.getByRole('button', { name, exact: true }))
    .first()
  for (let press = 0; press < 40; press++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`the tab key does not lead to ${name}`)
}
