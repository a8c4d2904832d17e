import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sitDown, type PersonOptions } from './person.ts'
import { setScene } from './world.ts'

const long = Array.from({ length: 200 }, (_, line) => `Line ${line} of a long letter.`).join('\n')
const letter = { to: 'ada@example.com', subject: 'A long one', text: long }
const question = { name: 'Many', instructions: 'Ask.' }
const newest = 'The one that came last'

/** More than the inbox shows: 3 long letters, then questions. */
const scene = setScene({}, async ({ muster, start }) => {
  for (const name of ['First', 'Second', 'Third']) {
    const mail = await start(`mail ${JSON.stringify(letter)}`, { name, instructions: name })
    await mail.rests()
  }
  const { workflowId, rests } = await start('ask {"question": "Which line?"}', question)
  await rests()
  const ids: string[] = []
  for (let run = 0; run < 100; run++) {
    ids.push((await muster.runs.create(workflowId, { input: `Question ${run}` })).id)
  }
  for (const id of ids) await muster.runs.wait(id, { timeoutMs: 60_000 })
  await muster.runs.wait((await muster.runs.create(workflowId, { input: newest })).id)
})

const sit = (options: Partial<PersonOptions> = {}) =>
  sitDown(scene.browser, { url: scene.world.app.url, key: scene.world.app.key, ...options })

describe('an inbox of more cases than it shows', () => {
  it('has each of them at its address, live', async () => {
    const { muster } = scene.world
    const [run] = await muster.runs.list_all({ status: 'waiting_input' })
    assert.equal(run?.input, newest)
    await using person = await sit()
    const { page } = person
    await page.goto(`/runs/${run.id}`)
    await page.getByRole('link', { name: 'Answer it' }).click()
    await page.getByRole('region', { name: 'Question' }).getByText('Which line?').waitFor()
    await page.reload()
    await page.getByLabel('Your answer').fill('Line 4.')
    const { pending } = await muster.runs.retrieve(run.id)
    await muster.runs.respond(run.id, {
      action: 'input',
      input: 'Line 5.',
      pending_id: pending?.id ?? '',
    })
    await page.getByText(/Somebody was first: you answered|It does not wait any more/).waitFor()
    await page.goto('/inbox/pnd_00000000000000000000000000')
    await page.getByText('This does not wait any more').waitFor()
    person.sawNoFault()
  })

  it('shows each from its beginning', async () => {
    await using person = await sit({ height: 600 })
    const { page } = person
    await page.goto('/inbox')
    const article = page.getByRole('article', { name: 'Case: First' })
    await article.getByText('Line 199 of a long letter.').first().scrollIntoViewIfNeeded()
    await page.keyboard.press('j')
    const second = page.getByRole('article', { name: 'Case: Second' })
    await second.waitFor()
    await person.seesAll()
    const top = (await second.getByRole('heading').first().boundingBox())?.y ?? -1
    assert.ok(top >= 0 && top < 600, `the case begins at ${top}`)
    person.sawNoFault()
  })

  it('is left by whoever has a phone, too', async () => {
    await using person = await sit({ width: 390, height: 800, isPhone: true })
    const { page } = person
    await page.goto('/inbox')
    await page.getByRole('button', { name: 'More' }).tap()
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
    await page.getByLabel('API key').waitFor()
    person.sawNoFault()
  })
})
