import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { until } from '../../rig/until.ts'
import { createPool } from '../../server/db/client.ts'
import { beginEpoch } from '../../server/engine/journal/epochs.ts'
import { isTitled, setScene } from './scene.ts'
import { refundScript } from './world.ts'

// The service of a restored database holds its webhooks back, so this file needs a service of its
// own.
const { it } = setScene({ isNew: true })

const letter = {
  to: 'ada@example.com',
  subject: 'Your order 4711',
  text: 'Dear Ada,\n\nit is on its way.',
}

/** Starts a new epoch, as `serve --restored` does. */
async function restore(url: string): Promise<void> {
  const pool = createPool(url, 1)
  const connection = await pool.connect()
  const epoch = { reason: 'restored', identity: undefined, home: undefined } as const
  await beginEpoch(connection, 0, { ...epoch, isInDoubt: true })
  connection.release()
  await pool.end()
}

describe('the inbox', () => {
  it('shows a mail as a mail, and approves it by a key', async ({
    page,
    person,
    start,
    mail,
    openCase,
  }) => {
    const started = await start(`mail ${JSON.stringify(letter)}`, { name: 'Letters' })
    await openCase(page, started)
    const action = page.getByRole('region', { name: 'Action' })
    await action.getByText('ada@example.com', { exact: true }).first().waitFor()
    await action.getByText('Your order 4711', { exact: true }).first().waitFor()
    await isTitled(page, /^\(\d+\) Send an email to ada@example\.com · Inbox/)
    await person.findsItAccessible()
    await page.keyboard.type('aa')
    await page.getByText('You approved this').waitFor()
    const { run } = await started.result()
    assert.equal(run.status, 'completed')
    assert.equal(mail.mails.at(-1)?.subject, letter.subject)
  })

  it('lets a run cost more, and ends another that asks', async (given) => {
    const { page, person, press, muster, openCase, run, start } = given
    const { workflowId } = await start('say hello', { name: 'Dear letters' })
    const limits = { max_cost_usd: 0.000001, on_cost: 'ask' } as const
    await muster.workflows.update(workflowId, { limits })
    const { id: runId } = await run(workflowId, { input: 'one' })
    await openCase(page, { runId })
    await page.getByRole('heading', { name: 'Raise the spend limit of the run' }).waitFor()
    await page.getByRole('region', { name: 'Cost' }).getByText('Next model call').waitFor()
    await person.findsItAccessible()
    const field = page.getByLabel('New total limit for the run (USD)')
    assert.ok(Number(await field.inputValue()) > 0)
    await field.fill('2.5')
    await press('Approve cost')
    await page.getByText('You approved this. The run continues.').waitFor()
    assert.equal((await muster.runs.wait(runId)).status, 'completed')
    const other = await run(workflowId, { input: 'two' })
    await openCase(page, { runId: other.id })
    await press('End the run')
    await page.getByLabel('Reason').fill('Not today')
    await press('Reject')
    await page.getByText('You rejected this. The run has ended.').waitFor()
    const { status, error } = await muster.runs.retrieve(other.id)
    assert.equal(status, 'failed')
    assert.match(error ?? '', /rejected more: Not today$/)
  })

  it('edits by fields: a typed number stays a number', async ({
    page,
    person,
    start,
    mcp,
    press,
    openCase,
  }) => {
    const started = await start(refundScript)
    await openCase(page, started)
    await page.keyboard.press('e')
    const amount = page.getByLabel('amount')
    await amount.fill('twelve')
    await press('Approve with changes')
    await page.getByText('Expected a number').waitFor()
    await amount.fill('12.50')
    await page.getByLabel('express').check()
    await page.getByLabel('reason').selectOption('goodwill')
    await person.findsItAccessible()
    await press('Approve with changes')
    await page.getByText('You approved this').waitFor()
    const { call } = await started.result()
    const expected = { customer: 'C-17', amount: 12.5, express: true, reason: 'goodwill' }
    assert.deepEqual(call?.input, expected)
    assert.deepEqual(mcp.calls.at(-1)?.params.arguments, expected)
    assert.equal(call?.decision, 'edited')
  })

  it('says at the field what is wrong with an edit, and shows what was sent', async (given) => {
    const { page, start, press, mail, openCase } = given
    const started = await start(`mail ${JSON.stringify(letter)}`, { name: 'Edited letter' })
    await openCase(page, started)
    await press('Edit')
    await page.getByLabel('To', { exact: true }).fill('ada')
    await press('Approve with changes')
    await page.getByText('Enter an email address').waitFor()
    assert.ok(
      await page.getByLabel('To', { exact: true }).evaluate((field) => field.matches(':focus')),
    )
    await page.getByLabel('To', { exact: true }).fill('ada@example.org')
    // An error that only the service can find is shown at its field too.
    await page.getByLabel('Subject').fill('Two\tlines')
    await press('Approve with changes')
    await page.getByText('expected: Subject, one line.').first().waitFor()
    assert.ok(await page.getByLabel('Subject').evaluate((field) => field.matches(':focus')))
    await page.getByLabel('Subject').fill('Your order 4712')
    await press('Approve with changes')
    await page.getByText('You approved this').waitFor()
    const action = page.getByRole('region', { name: 'Action' })
    for (const text of ['ada@example.org', 'Your order 4712']) {
      await action.getByText(text, { exact: true }).first().waitFor()
    }
    await started.rests()
    assert.equal(mail.mails.at(-1)?.subject, 'Your order 4712')
  })

  it('edits as JSON in the editor, back and forth', async ({
    page,
    person,
    start,
    press,
    openCase,
  }) => {
    const started = await start(refundScript)
    await openCase(page, started)
    await press('Edit')
    await page.getByLabel('amount').fill('7')
    await press('As JSON')
    const editor = person.editor('Arguments as JSON')
    await editor.getByText('"amount": 7').waitFor()
    await editor.press('ControlOrMeta+a')
    await page.keyboard.insertText('{"customer": "C-18", "amount": 1e2}')
    await press('As fields')
    assert.equal(await page.getByLabel('amount').inputValue(), '100')
    await press('Approve with changes')
    await page.getByText('You approved this').waitFor()
    assert.deepEqual((await started.result()).call?.input, { customer: 'C-18', amount: 100 })
  })

  it('rejects with a reason that outlives a reload', async ({ page, person, start, openCase }) => {
    const started = await start(refundScript)
    await openCase(page, started)
    await page.keyboard.press('r')
    await page.getByLabel('Reason').fill('Ask accounting first.')
    await page.keyboard.press('Escape')
    await page.getByLabel('Reason').waitFor({ state: 'detached' })
    await page.keyboard.press('r')
    assert.equal(await page.getByLabel('Reason').inputValue(), 'Ask accounting first.')
    await page.reload()
    assert.equal(await page.getByLabel('Reason').inputValue(), 'Ask accounting first.')
    await person.press('Reject')
    await page.getByText('You rejected this').waitFor()
    const { call, run } = await started.result()
    assert.equal(call?.decision, 'rejected')
    assert.match(run.output ?? '', /Ask accounting first\./)
  })

  it('says who was first when two answer the same request', async (given) => {
    const { page: one, start, sit, openCase } = given
    const started = await start(refundScript)
    const { page: two } = await sit({ role: 'member' })
    for (const page of [one, two]) await openCase(page, started)
    // The second page learns nothing of the change until its own request answers.
    await two.route('**/v1/pending*', (route) => route.abort())
    await one.keyboard.type('aa')
    await one.getByText('You approved this').waitFor()
    await two.keyboard.press('r')
    await two.getByRole('button', { name: 'Reject', exact: true }).click()
    await two.getByText(/Already answered by first admin key: approved/).waitFor()
    assert.equal((await started.result()).call?.decision, 'approved')
  })

  it('says that a tool changed while the person thought, and asks anew', async (given) => {
    const { page, person, muster, start, mcp, connect, press, openCase } = given
    const started = await start(refundScript)
    await openCase(page, started)
    const { tools } = mcp
    mcp.tools = tools.map((tool) => ({ ...tool, description: 'Pays money back, in cents.' }))
    await connect()
    await page.keyboard.type('aa')
    await page.getByText('You approved this').waitFor()
    await started.rests()
    assert.equal(mcp.calls.filter(({ params }) => params.arguments['amount'] === 5).length, 0)
    await person.press('Next case')
    const note = page.getByRole('note').filter({ hasText: 'has changed since the agent asked' })
    await note.getByText('Pays money back, in cents.').waitFor()
    await note.getByText('Its arguments now').click()
    await note.getByText('"In euros"').waitFor()
    await person.findsItAccessible()
    await page.keyboard.press('e')
    await page.getByLabel('amount').fill('50000')
    await press('Approve with changes')
    await page.getByText('You approved this').waitFor()
    const { call, run } = await started.result()
    assert.deepEqual([run.status, call?.input?.['amount']], ['completed', 50_000])
    mcp.tools = tools
    await connect()
    await muster.connectors.test('crm')
  })

  it('settles an unknown outcome, which cannot be edited', async (given) => {
    const { page, person, start, mcp, press, openCase } = given
    const { onCall } = mcp
    mcp.onCall = (_params, response) => {
      response.destroy()
      return undefined
    }
    const started = await start(refundScript)
    await openCase(page, started)
    await press('Approve')
    await page.getByText('You approved this').waitFor()
    await openCase(page, started)
    mcp.onCall = onCall
    await page.getByText('This may already have been done.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0)
    await person.findsItAccessible()
    await press('Do it again')
    await page.getByText('You approved this').waitFor()
    assert.equal((await started.result()).run.status, 'completed')
  })

  it('says that what waits may have been done already where the database was restored', async (given) => {
    const { page, person, muster, start, app, press, openCase } = given
    const started = await start(refundScript)
    await openCase(page, started)
    await restore(app.databaseUrl)
    const { runId } = started
    await until('the run is taken', 20_000, async () => {
      return (await muster.runs.retrieve(runId)).status === 'waiting_input'
    })
    await openCase(page, started)
    await page.getByText('This may already have been done.').waitFor()
    await page.getByRole('note').getByText('This database is a restored copy').waitFor()
    await page
      .getByRole('link')
      .getByText(/unknown whether crm\.refund .* was done already/)
      .waitFor()
    await person.findsItAccessible()
    await press('Go on without')
    await person.press('Reject')
    await page.getByText('You rejected this').waitFor()
    const { run, call } = await started.result()
    assert.deepEqual([run.status, call?.status], ['completed', 'unknown'])
  })

  it('says why it cannot be read, and nothing that it does not know', async (given) => {
    const { muster, start, sit } = given
    const { runId } = await start(refundScript)
    const { pending } = await muster.runs.retrieve(runId)
    for (const isPhone of [false, true]) {
      const { page } = await sit({ isPhone })
      await page.route('**/v1/pending*', (route) => route.fulfill({ status: 500, body: '{}' }))
      await page.goto('/')
      await page.getByRole('main').getByRole('link', { name: 'Waiting …', exact: true }).waitFor()
      await page.goto(`/inbox/${pending?.id}`)
      const again = page.getByRole('button', { name: 'Try again' }).filter({ visible: true })
      await again.waitFor()
      const text = await page.getByRole('main').innerText()
      assert.doesNotMatch(text, /No requests|no longer open|needed any more/)
      await page.unroute('**/v1/pending*')
      await again.click()
      await page.getByRole('article').waitFor()
    }
  })

  it('says everywhere that more wait than it shows', async ({ page, start }) => {
    await start(refundScript)
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
    await isTitled(page, /^\(100\+\) Home · Muster$/)
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('notices that a request expires while the page is open', async ({
    page,
    person,
    start,
    app,
    openCase,
  }) => {
    const started = await start(refundScript, { people: { timeout_seconds: 60 } })
    await openCase(page, started)
    await person.sees(/\d+ s left/)
    await app.database
      .updateTable('runs')
      .set({ expires_at: new Date() })
      .where('id', '=', started.runId)
      .execute()
    await page.getByText('No one answered in time').waitFor()
  })
})
