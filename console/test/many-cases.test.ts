import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { pluck } from '../../test/pluck.ts'
import { setScene } from './scene.ts'
import type { World } from './world.ts'

const long = Array.from({ length: 200 }, (_, line) => `Line ${line} of a long letter.`).join('\n')
const letter = { to: 'ada@example.com', subject: 'A long one', text: long }
const question = { name: 'Many', instructions: 'Ask.' }
const newest = 'The one that came last'

/** Makes more cases than the inbox shows: 3 long letters, then questions. */
const prepare = async ({ muster, start }: World) => {
  for (const name of ['First', 'Second', 'Third']) {
    await start(`mail ${JSON.stringify(letter)}`, { name, instructions: name })
  }
  const { workflowId } = await start('ask {"question": "Which line?"}', question)
  const ids: string[] = []
  for (let run = 0; run < 100; run++) {
    ids.push((await muster.runs.create(workflowId, { input: `Question ${run}` })).id)
  }
  for (const id of ids) await muster.runs.wait(id, { timeoutMs: 60_000 })
  await muster.runs.wait((await muster.runs.create(workflowId, { input: newest })).id)
}

const { it } = setScene({ prepare })

describe('an inbox of more cases than it shows', () => {
  it('has each of them at its address, live', async ({ page, muster, respond }) => {
    const [run] = await muster.runs.list_all({ status: 'waiting_input' })
    assert.equal(run?.input, newest)
    await page.goto(`/runs/${run.id}`)
    await page.getByRole('link', { name: 'Answer' }).click()
    await page.getByRole('region', { name: 'Question' }).getByText('Which line?').waitFor()
    await page.reload()
    await page.getByLabel('Your answer').fill('Line 4.')
    await respond(run.id, { action: 'input', input: 'Line 5.' })
    await page.getByText(/Already answered by you|No answer is needed any more/).waitFor()
    await page.goto('/inbox/pnd_00000000000000000000000000')
    await page.getByText('This request is no longer open').waitFor()
  })

  it('is read to its end, filtered and searched by the keyboard', async ({ page, person }) => {
    await page.goto('/inbox')
    const cases = page.getByRole('list', { name: 'Cases' }).getByRole('listitem')
    await page.getByText('100 or more requests').waitFor()
    await page.getByRole('button', { name: 'Show more' }).press('Enter')
    await page.getByText(/10[45] requests/).waitFor()
    await page.getByLabel('Find requests').focus()
    await page.keyboard.type('second')
    await page.getByText('1 request,').waitFor()
    await page.reload()
    await page.getByText('1 request,').waitFor()
    assert.equal(await cases.count(), 1)
    await page.getByLabel('Find requests').press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await page.getByText('100 or more requests').waitFor()
    await page.getByRole('button', { name: 'Filter' }).press('Enter')
    await page.getByRole('combobox', { name: 'Action' }).selectOption('email.send')
    await page.getByText('3 requests').waitFor()
    await page.getByRole('combobox', { name: 'Waiting' }).selectOption('Over a week')
    await page.getByText('Nothing that waits matches.').waitFor()
    await person.findsItAccessible()
  })

  it('shows each from its beginning', { height: 600 }, async ({ page, person }) => {
    await page.goto('/inbox')
    const article = page.getByRole('article', { name: 'Case: First' })
    await article.getByText('Line 199 of a long letter.').first().scrollIntoViewIfNeeded()
    await page.keyboard.press('j')
    const second = page.getByRole('article', { name: 'Case: Second' })
    await second.waitFor()
    await person.seesAll()
    const top = (await second.getByRole('heading').first().boundingBox())?.y ?? -1
    assert.ok(top >= 0 && top < 600, `the case begins at ${top}`)
  })

  it('is left by whoever has a phone, too', { isPhone: true }, async ({ page }) => {
    await page.goto('/inbox')
    await page.getByRole('button', { name: 'More', exact: true }).tap()
    const options = page.getByRole('option')
    await options.first().waitFor()
    const names = await options.allInnerTexts()
    for (const name of ['Audit', 'Sign out', 'Theme: dark']) {
      assert.ok(
        names.some((one) => one.startsWith(name)),
        `no ${name} in ${names.join()}`,
      )
    }
    await options.filter({ hasText: 'Sign out' }).tap()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  })

  it('is answered together, after a look at each', async ({ page, person, muster }) => {
    await page.goto('/inbox?action=email.send')
    for (const name of ['First', 'Second']) {
      const article = page.getByRole('article', { name: `Case: ${name}` })
      await article.getByRole('button', { name: 'Approve with others' }).press('Enter')
      await article.getByRole('button', { name: 'Chosen', pressed: true }).waitFor()
      await page.keyboard.press('j')
    }
    await page.getByRole('article', { name: 'Case: Third' }).waitFor()
    const bar = page.getByRole('region', { name: 'Chosen requests' })
    await bar.getByRole('button', { name: 'Approve 2' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Approve 2 of email.send?' })
    await person.findsItAccessible()
    await dialog.getByRole('button', { name: 'Approve 2' }).press('Enter')
    await bar.getByText('2 requests approved.').waitFor()
    await page.getByText('1 request,').waitFor()
    const waiting = await muster.pending.list({ action: 'email.send' })
    assert.deepEqual(pluck([...waiting], 'workflow_name'), ['Third'])
  })
})
