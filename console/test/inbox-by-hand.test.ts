import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { setScene, type Started } from './world.ts'

const scene = setScene()

const refund = `refund {"customer": "C-17", "amount": 500, "reason": "late"}`

const callOf = async ({ runId, rests }: Started) => {
  await rests()
  const run = await scene.world.muster.runs.retrieve(runId)
  return { run, call: run.steps.at(-1)?.tool_calls[0] }
}

/** Asks somebody, behind all who are asked already. */
async function ask(input: string, name: string): Promise<Started> {
  const started = await scene.world.start(input, { name })
  await started.rests()
  return started
}

describe('the inbox, all of it,', () => {
  it('is worked by the keyboard alone', async () => {
    const [edited, rejected, asked] = [
      await ask(refund, 'First'),
      await ask(refund, 'Second'),
      await ask('ask {"question": "Which line?"}', 'Third'),
    ]
    await using person = await scene.sit()
    const { page } = person
    const { keyboard } = page
    const isAt = (name: string) => page.getByRole('article', { name: `Case: ${name}` }).waitFor()
    await person.seesAll()
    // As one types who is fast: the second key goes down before the first goes up.
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
    // Escape goes back, and what was typed is there again.
    await keyboard.press('Escape')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await keyboard.press('e')
    await page.locator('form :focus').waitFor()
    assert.equal(await page.getByLabel('amount').inputValue(), '12')
    await tabTo(page, 'Approve as edited')
    await keyboard.press('Enter')
    await page.getByText('You approved it').waitFor()
    for (const [name, words, button, done] of [
      ['Second', 'Not today.', 'Reject', 'You rejected it'],
      ['Third', 'Line 4.', 'Send the answer', 'on its way to the agent'],
    ] as const) {
      await keyboard.press('j')
      await isAt(name)
      await keyboard.press('r')
      await keyboard.type(words)
      await tabTo(page, button)
      await keyboard.press('Enter')
      await page.getByText(done).waitFor()
    }
    assert.equal((await callOf(edited)).call?.input?.['amount'], 12)
    assert.match((await callOf(rejected)).run.output ?? '', /Not today\./)
    assert.match((await callOf(asked)).run.output ?? '', /Line 4\./)
    person.sawNoFault()
  })

  it('is worked with one thumb on a phone', async () => {
    const [approved, edited, rejected, asked] = [
      await scene.world.start(refund, { name: 'On the road' }),
      await scene.world.start(refund, { name: 'Less of it' }),
      await scene.world.start(refund, { name: 'None of it' }),
      await scene.world.start('ask {"question": "Which line?"}', { name: 'A question' }),
    ]
    for (const one of [approved, edited, rejected, asked]) await one.rests()
    const phone = { width: 390, height: 800, isPhone: true }
    await using person = await scene.sit(phone)
    const { page } = person
    const tap = (name: string) => page.getByRole('button', { name, exact: true }).tap()
    const turnTo = async (name: string) => {
      await page.getByRole('navigation').getByRole('link', { name: 'Inbox' }).tap()
      await page.getByRole('list', { name: 'Cases' }).getByText(name).tap()
      await page.getByRole('article', { name: `Case: ${name}` }).waitFor()
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      assert.ok(Number(wide) <= 390, `the page is ${String(wide)} wide`)
      await person.findsItAccessible()
    }
    await turnTo('On the road')
    await tap('Approve')
    await page.getByText('You approved it').waitFor()
    await turnTo('Less of it')
    await tap('Edit')
    await page.getByLabel('amount').fill('12')
    await tap('Approve as edited')
    await page.getByText('You approved it').waitFor()
    await turnTo('None of it')
    await tap('Reject')
    await page.getByLabel('Reason').fill('Not today.')
    await tap('Reject')
    await page.getByText('You rejected it').waitFor()
    await turnTo('A question')
    await page.getByLabel('Your answer').fill('Line 4.')
    await tap('Send the answer')
    await page.getByText('on its way to the agent').waitFor()
    assert.equal((await callOf(approved)).run.status, 'completed')
    assert.equal((await callOf(edited)).call?.input?.['amount'], 12)
    assert.equal((await callOf(rejected)).call?.decision, 'rejected')
    assert.match((await callOf(asked)).run.output ?? '', /Line 4\./)
    person.sawNoFault()
  })
})

/** By the tab key, as far as it takes. */
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
