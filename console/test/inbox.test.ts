import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../rig/until.ts'
import { createPool } from '../../server/db/client.ts'
import { beginEpoch } from '../../server/engine/state/epoch-store.ts'
import type { Person } from './person.ts'
import { setScene, type Started } from './world.ts'

const scene = setScene()
const { sit } = scene

const refund = `refund {"customer": "C-17", "amount": 500, "reason": "late"}`
const letter = {
  to: 'ada@example.com',
  subject: 'Your order 4711',
  text: 'Dear Ada,\n\nit is on its way.',
}

/** A person in front of the case of a run that waits. */
async function open(person: Person, { runId, rests }: Started): Promise<Page> {
  await rests()
  const { pending } = await scene.world.muster.runs.retrieve(runId)
  await person.page.goto(`/inbox/${pending?.id}`)
  await person.page.getByRole('article').waitFor()
  return person.page
}

/** As `serve --restored` finds the database. */
async function restore(url: string): Promise<void> {
  const pool = createPool(url, 1)
  const connection = await pool.connect()
  const epoch = { reason: 'restored', whereabouts: undefined, home: undefined } as const
  await beginEpoch(connection, 0, { ...epoch, isInDoubt: true })
  connection.release()
  await pool.end()
}

const callOf = async ({ runId, rests }: Started) => {
  await rests()
  const run = await scene.world.muster.runs.retrieve(runId)
  return { run, call: run.steps.at(-1)?.tool_calls[0] }
}
const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

describe('the inbox', () => {
  it('shows a mail as a mail, and approves it by a key', async () => {
    const started = await scene.world.start(`mail ${JSON.stringify(letter)}`, { name: 'Letters' })
    await using person = await sit()
    const page = await open(person, started)
    const action = page.getByRole('region', { name: 'Action' })
    await action.getByText('ada@example.com', { exact: true }).first().waitFor()
    await action.getByText('Your order 4711', { exact: true }).first().waitFor()
    assert.match(await page.title(), /^\(\d+\) Inbox/)
    await person.findsItAccessible()
    await page.keyboard.press('a')
    await page.getByText('You approved it').waitFor()
    const { run } = await callOf(started)
    assert.equal(run.status, 'completed')
    assert.equal(scene.world.mail.mails.at(-1)?.subject, letter.subject)
    person.sawNoFault()
  })

  it('edits by fields: a typed number stays a number', async () => {
    const started = await scene.world.start(refund)
    await using person = await sit()
    const page = await open(person, started)
    await page.keyboard.press('e')
    const amount = page.getByLabel('amount')
    await amount.fill('twelve')
    await press(page, 'Approve as edited')
    await page.getByText('Expected a number').waitFor()
    await amount.fill('12.50')
    await page.getByLabel('express').check()
    await page.getByLabel('reason').selectOption('goodwill')
    await person.findsItAccessible()
    await press(page, 'Approve as edited')
    await page.getByText('You approved it').waitFor()
    const { call } = await callOf(started)
    const expected = { customer: 'C-17', amount: 12.5, express: true, reason: 'goodwill' }
    assert.deepEqual(call?.input, expected)
    assert.deepEqual(scene.world.mcp.calls.at(-1)?.params.arguments, expected)
    assert.equal(call?.decision, 'edited')
    person.sawNoFault()
  })

  it('edits as JSON in the editor, back and forth', async () => {
    const started = await scene.world.start(refund)
    await using person = await sit()
    const page = await open(person, started)
    await press(page, 'Edit')
    await page.getByLabel('amount').fill('7')
    await press(page, 'As JSON')
    const editor = page.getByRole('textbox', { name: 'Arguments as JSON' })
    await editor.getByText('"amount": 7').waitFor()
    await editor.press('ControlOrMeta+a')
    await page.keyboard.insertText('{"customer": "C-18", "amount": 1e2}')
    await press(page, 'As fields')
    assert.equal(await page.getByLabel('amount').inputValue(), '100')
    await press(page, 'Approve as edited')
    await page.getByText('You approved it').waitFor()
    assert.deepEqual((await callOf(started)).call?.input, { customer: 'C-18', amount: 100 })
    person.sawNoFault()
  })

  it('rejects with a reason that outlives a reload', async () => {
    const started = await scene.world.start(refund)
    await using person = await sit()
    const page = await open(person, started)
    await page.keyboard.press('r')
    await page.getByLabel('Reason').fill('Ask accounting first.')
    await page.keyboard.press('Escape')
    await page.getByLabel('Reason').waitFor({ state: 'detached' })
    await page.keyboard.press('r')
    assert.equal(await page.getByLabel('Reason').inputValue(), 'Ask accounting first.')
    await page.reload()
    assert.equal(await page.getByLabel('Reason').inputValue(), 'Ask accounting first.')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText('You rejected it').waitFor()
    const { call, run } = await callOf(started)
    assert.equal(call?.decision, 'rejected')
    assert.match(run.output ?? '', /Ask accounting first\./)
    person.sawNoFault()
  })

  it('answers a question', async () => {
    const started = await scene.world.start('ask {"question": "Refund or replace?"}')
    await using person = await sit()
    const page = await open(person, started)
    await page.getByRole('region', { name: 'Question' }).getByText('Refund or replace?').waitFor()
    await page.getByLabel('Your answer').fill('Replace it.')
    await person.findsItAccessible()
    await press(page, 'Send the answer')
    await page.getByText('on its way to the agent').waitFor()
    assert.match((await callOf(started)).run.output ?? '', /Replace it\./)
    person.sawNoFault()
  })

  it('says who was first when two answer the same request', async () => {
    const started = await scene.world.start(refund)
    const { key } = await scene.world.muster.api_keys.create({ name: 'Second', role: 'member' })
    await using first = await sit()
    await using second = await sit({ key })
    const [one, two] = [await open(first, started), await open(second, started)]
    // The second page hears of nothing until it answers.
    await two.route('**/v1/pending*', (route) => route.abort())
    await one.keyboard.press('a')
    await one.getByText('You approved it').waitFor()
    await two.keyboard.press('r')
    await two.getByRole('button', { name: 'Reject', exact: true }).click()
    await two.getByText(/Somebody was first: first admin key approved it/).waitFor()
    assert.equal((await callOf(started)).call?.decision, 'approved')
    first.sawNoFault()
    second.sawNoFault()
  })

  it('says that a tool changed while the person thought, and asks anew', async () => {
    const { mcp, muster } = scene.world
    const started = await scene.world.start(refund)
    await using person = await sit()
    const page = await open(person, started)
    const { tools } = mcp
    mcp.tools = tools.map((tool) => ({ ...tool, description: 'Pays money back, in cents.' }))
    await scene.world.connect()
    await page.keyboard.press('a')
    await page.getByText('You approved it').waitFor()
    await started.rests()
    assert.equal(mcp.calls.filter(({ params }) => params.arguments['amount'] === 5).length, 0)
    await page.getByRole('button', { name: 'Next case' }).click()
    const note = page.getByRole('note').filter({ hasText: 'has changed since the agent asked' })
    await note.getByText('Pays money back, in cents.').waitFor()
    await note.getByText('Its arguments now').click()
    await note.getByText('"In euros"').waitFor()
    await person.findsItAccessible()
    await page.keyboard.press('e')
    await page.getByLabel('amount').fill('50000')
    await press(page, 'Approve as edited')
    await page.getByText('You approved it').waitFor()
    const { call, run } = await callOf(started)
    assert.deepEqual([run.status, call?.input?.['amount']], ['completed', 50_000])
    mcp.tools = tools
    await scene.world.connect()
    await muster.connectors.test('crm')
    person.sawNoFault()
  })

  it('settles an unknown outcome, which cannot be edited', async () => {
    const { onCall } = scene.world.mcp
    scene.world.mcp.onCall = (_params, response) => {
      response.destroy()
      return undefined
    }
    const started = await scene.world.start(refund)
    await using person = await sit()
    let page = await open(person, started)
    await press(page, 'Approve')
    await page.getByText('You approved it').waitFor()
    page = await open(person, started)
    scene.world.mcp.onCall = onCall
    await page.getByText('It may have been done already.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0)
    await person.findsItAccessible()
    await press(page, 'Do it again')
    await page.getByText('You approved it').waitFor()
    assert.equal((await callOf(started)).run.status, 'completed')
    person.sawNoFault()
  })

  it('says that what waits may have been done already where the database was restored', async () => {
    const started = await scene.world.start(refund)
    await using person = await sit()
    await open(person, started)
    await restore(scene.world.app.databaseUrl)
    const { database } = scene.world.app
    await until('the run is taken', 20_000, async () => {
      const run = await database
        .selectFrom('runs')
        .select('status')
        .where('id', '=', started.runId)
        .executeTakeFirst()
      return run?.status === 'waiting_input'
    })
    const page = await open(person, started)
    await page.getByText('It may have been done already.').waitFor()
    await page.getByRole('note').getByText('This database is a restored copy').waitFor()
    await page
      .getByRole('link')
      .getByText(/unknown whether crm\.refund .* was done already/)
      .waitFor()
    await person.findsItAccessible()
    await press(page, 'Go on without')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText('You rejected it').waitFor()
    const { run, call } = await callOf(started)
    assert.deepEqual([run.status, call?.status], ['completed', 'unknown'])
    person.sawNoFault()
  })

  it('says why it cannot be read, and nothing that it does not know', async () => {
    const started = await scene.world.start(refund)
    await started.rests()
    const { pending } = await scene.world.muster.runs.retrieve(started.runId)
    const phone = { width: 390, height: 800, isPhone: true }
    for (const options of [{}, phone]) {
      await using person = await sit(options)
      const { page } = person
      await page.route('**/v1/pending*', (route) => route.fulfill({ status: 500, body: '{}' }))
      await page.goto('/')
      await page.getByRole('main').getByRole('link', { name: 'Waiting …', exact: true }).waitFor()
      await page.goto(`/inbox/${pending?.id}`)
      const again = page.getByRole('button', { name: 'Try again' }).filter({ visible: true })
      await again.waitFor()
      const text = await page.getByRole('main').innerText()
      assert.doesNotMatch(text, /Nothing waits|does not wait/)
      await page.unroute('**/v1/pending*')
      await again.click()
      await page.getByRole('article').waitFor()
      person.sawNoFault()
    }
  })

  it('says everywhere that more wait than it shows', async () => {
    const started = await scene.world.start(refund)
    await started.rests()
    await using person = await sit()
    const { page } = person
    await page.route('**/v1/pending*', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as { data: { pending: object }[] }
      const [first] = body.data
      const data = Array.from({ length: 100 }, (_, number) => ({
        ...first,
        pending: { ...first?.pending, id: `pend_${number}` },
      }))
      await route.fulfill({ response: answer, json: { ...body, data } })
    })
    await page.goto('/')
    await page.getByRole('main').getByRole('link', { name: 'Waiting 100+' }).waitFor()
    await page.getByRole('navigation').getByLabel('100+ waiting').first().waitFor()
    assert.equal(await page.title(), '(100+) Home · Muster')
    await page.unrouteAll({ behavior: 'wait' })
    person.sawNoFault()
  })

  it('notices that a request expires while the page is open', async () => {
    const started = await scene.world.start(refund, { people: { timeout_seconds: 60 } })
    await using person = await sit()
    const page = await open(person, started)
    await page
      .getByText(/\d+ s left/)
      .first()
      .waitFor()
    await scene.world.app.database
      .updateTable('runs')
      .set({ expires_at: new Date() })
      .where('id', '=', started.runId)
      .execute()
    await page.getByText('Nobody answered in time').waitFor()
    person.sawNoFault()
  })

  it('names what a screen would not show, and runs nothing of it', async () => {
    const text =
      'Pay \u202e005 EUR\u202c to\u200b\u200b me <img src=x onerror=alert(1)> ![](https://evil.example/x.png)'
    const started = await scene.world.start(`mail ${JSON.stringify({ ...letter, text })}`)
    await using person = await sit()
    const page = await open(person, started)
    const action = page.getByRole('region', { name: 'Action' })
    await action.getByText('U+202E').first().waitFor()
    await action.getByText('U+200B ×2').first().waitFor()
    await action.getByText('<img src=x onerror=alert(1)>').first().waitFor()
    assert.equal(await page.locator('img').count(), 0)
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText('You rejected it').waitFor()
    person.sawNoFault()
  })
})
