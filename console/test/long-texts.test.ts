import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { setScene } from './scene.ts'

const { it } = setScene()

const long = `${'All work and no play. '.repeat(909)}The last clause.`.padEnd(20_015, '!')

/** Text fields; numbers, dates and choices have no text. */
const textFields = ['textarea:visible', 'input:visible:not([type])']
  .concat(
    ['text', 'search', 'url', 'email', 'password'].map((type) => `input[type=${type}]:visible`),
  )
  .join()

/** Inserts the text as a paste does, and expects it to be whole. */
async function insertIntoAll(page: Page, within: Locator): Promise<number> {
  const fields = within.locator(textFields)
  // A change shows further fields, such as a note for the history.
  let index = 0
  for (; index < (await fields.count()); index++) {
    const field = fields.nth(index)
    if (!(await field.isEnabled())) continue
    await field.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(long)
    const name = `${(await field.getAttribute('id')) ?? ''} ${index} of ${page.url()}`
    assert.equal((await field.inputValue()).length, long.length, name)
  }
  return index
}

describe('long texts', () => {
  it('are kept whole in every field of the pages', async ({ page, person, start, join }) => {
    const { agentId, workflowId } = await start('ask {"question": "Which line?"}')
    const { pending } = await start('ask {"question": "Which one?"}').then((asked) => asked.rests())
    const admin = await join('Ada', 'admin')
    const places: [path: string, least: number][] = [
      ['/agents/new', 4],
      ['/workflows/new', 2],
      ['/fine-tunes/new', 3],
      [`/agents/${agentId}`, 4],
      [`/workflows/${workflowId}`, 3],
      [`/inbox/${pending?.id ?? ''}`, 2],
      ['/people', 1],
    ]
    for (const [path, least] of places) {
      await page.goto(path)
      await page.getByRole('main').locator(textFields).first().waitFor()
      // The editor replaces a plain field.
      if (path.startsWith('/agents/')) await person.editor('Instructions').waitFor()
      await person.seesAll()
      const count = await insertIntoAll(page, page.getByRole('main'))
      assert.ok(count >= least, `${path} has ${count} fields`)
    }
    await admin.page.goto('/profile')
    await admin.page.getByLabel('Display name').waitFor()
    assert.ok((await insertIntoAll(admin.page, admin.page.getByRole('main'))) >= 1)
  })

  it('are kept whole in every field of the dialogs', async ({ page, start }) => {
    await start('say Done.')
    for (const [path, button] of [
      ['/schedules', 'New schedule'],
      ['/inbound-hooks', 'New hook'],
      ['/batches', 'New batch'],
      ['/budgets', 'New budget'],
      ['/channels', 'New channel'],
      ['/mailboxes', 'New mailbox'],
      ['/webhooks', 'New endpoint'],
      ['/api-keys', 'New key'],
    ] as const) {
      await page.goto(path)
      await page.getByRole('button', { name: button }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.locator(textFields).first().waitFor()
      assert.ok((await insertIntoAll(page, dialog)) >= 1, path)
    }
  })

  it('are counted, and an input that is too long starts no run', async (given) => {
    const { page, person, start, muster, press } = given
    const { workflowId } = await start('say Done.')
    await page.goto(`/workflows/${workflowId}`)
    const input = page.getByLabel('Input', { exact: true })
    await input.fill('a'.repeat(15_000))
    await page.getByText('15,000 of 16,000 characters').waitFor()
    await input.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(long)
    const problem = page.getByText('Too long by 4,015 characters: put the text in a file')
    await problem.waitFor()
    await person.findsItAccessible()
    const runs = async () => (await muster.runs.list(workflowId)).length
    const before = await runs()
    await press('Run and watch')
    await page.locator('textarea:focus[aria-invalid=true]').waitFor()
    await page.reload()
    await problem.waitFor()
    assert.equal(await input.inputValue(), long, 'the whole text outlived a reload')
    assert.equal(await runs(), before)
    const fits = long.slice(-16_000)
    await input.fill(fits)
    await problem.waitFor({ state: 'detached' })
    await press('Run and watch')
    await page.waitForURL('**/runs/run_*')
    const { input: sent } = await muster.runs.retrieve(page.url().split('/').at(-1) ?? '')
    assert.equal(sent, fits, 'the last clause was sent')
  })

  it('are not sent as an answer, a reason or a comment either', async (given) => {
    const { page, start, openCase, press, muster } = given
    const started = await start('ask {"question": "Which line?"}')
    await openCase(page, started)
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url())
    })
    for (const [label, button, over] of [
      ['Your answer', 'Send answer', '4,015'],
      ['Comment', 'Add comment', '16,015'],
    ] as const) {
      const field = page.getByLabel(label)
      await field.focus()
      await page.keyboard.insertText(long)
      await press(button)
      await page.getByText(`Too long by ${over} characters: shorten it`).waitFor()
      assert.equal(await field.inputValue(), long)
      assert.ok(await field.evaluate((element) => element === element.ownerDocument.activeElement))
    }
    assert.deepEqual(sent, [])
    assert.equal((await muster.runs.retrieve(started.runId)).status, 'waiting_input')
  })
})
