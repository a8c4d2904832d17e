import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setScene } from './scene.ts'

const { it } = setScene()

const refund = (customer: string, amount: number) =>
  `refund ${JSON.stringify({ customer, amount, reason: 'late' })}`
const three = [refund('C-1', 10), refund('C-2', 20), refund('C-3', 30)].join('\n')

describe('a case of several calls', () => {
  it('is decided one by one, by keys, with what becomes of each beside it', async (given) => {
    const { page, person, start, mcp, openCase, muster } = given
    const started = await start(three, { name: 'Three refunds' })
    await openCase(page, started)
    await page.getByRole('heading', { name: '3 requests of clerk' }).waitFor()
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem')
    const cards = calls.filter({ has: page.getByRole('heading') })
    assert.equal(await cards.count(), 3)
    await person.findsItAccessible()
    const address = page.url()
    await page.keyboard.type('aa')
    await cards.first().getByText('You approved this').waitFor()
    await cards.nth(1).getByRole('button', { name: 'Approve' }).waitFor()
    assert.deepEqual(mcp.calls.at(-1)?.params.arguments['customer'], 'C-1')
    await cards.nth(2).getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('amount').fill('3')
    await page.getByRole('button', { name: 'Approve with changes' }).click()
    await cards.nth(2).getByText('You approved this with changes').waitFor()
    await cards.nth(1).getByRole('button', { name: 'Reject' }).waitFor()
    await page.keyboard.press('r')
    await page.getByLabel('Reason').fill('Asked twice')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText('All requests are decided.').waitFor()
    await cards.nth(1).getByText('You rejected this').waitFor()
    assert.equal(page.url(), address, 'the case kept its address')
    const { run } = await started.result()
    const decisions = run.steps
      .at(-1)
      ?.tool_calls.map(({ decision, input }) => [decision, (input as { amount: number }).amount])
    assert.deepEqual(decisions, [
      ['approved', 10],
      ['rejected', 20],
      ['edited', 3],
    ])
    assert.equal((await muster.runs.retrieve(started.runId)).status, 'completed')
  })

  it('is approved at once, or rejected at once with a reason', async (given) => {
    const { page, start, press, openCase } = given
    const started = await start(three, { name: 'All of them' })
    await openCase(page, started)
    await press('Approve all 3')
    await page.getByText('All requests are decided.').waitFor()
    const { run } = await started.result()
    assert.ok(run.steps.at(-1)?.tool_calls.every(({ decision }) => decision === 'approved'))
    const other = await start(three, { name: 'None of them' })
    await openCase(page, other)
    await press('Reject all 3')
    await page.getByLabel('Reason').fill('Not this month')
    await press('Reject all 3')
    await page.getByText('All requests are decided.').waitFor()
    const ended = (await other.result()).run
    assert.equal(ended.output?.match(/Not this month/g)?.length, 3)
  })

  it('is seen to shrink where others decide, and names itself in list and run', async (given) => {
    const { page, start, openCase, muster } = given
    const started = await start(three, { name: 'Shared work' })
    await openCase(page, started)
    const { pending } = await muster.runs.retrieve(started.runId)
    const [one, two] = pending?.calls ?? []
    await muster.runs.respond(started.runId, {
      decisions: [{ call_id: one?.call_id ?? '', action: 'reject', pending_id: one?.id ?? '' }],
    })
    await page.getByText(/rejected this/).waitFor()
    await page.getByRole('button', { name: 'Approve all 2' }).waitFor()
    await page.getByRole('link', { name: /2 requests of clerk/ }).waitFor()
    await page.goto(`/runs/${started.runId}`)
    await page.getByText('clerk waits for 2 decisions').waitFor()
    await page.getByRole('link', { name: 'Answer' }).click()
    await page.getByRole('button', { name: 'Approve all 2' }).waitFor()
    await page.goto(`/inbox/${two?.id}`)
    await page.getByRole('button', { name: 'Approve all 2' }).waitFor()
  })

  it('leads on where a call may have been done and is asked for again', async (given) => {
    const { page, start, openCase, mcp } = given
    const started = await start(three, { name: 'Broken line' })
    await openCase(page, started)
    await page.keyboard.type('aa')
    const cards = page.getByRole('list', { name: 'Calls' }).getByRole('listitem')
    await cards.first().getByText('You approved this').waitFor()
    await page.getByRole('button', { name: 'Approve all 2' }).waitFor()
    const { onCall } = mcp
    mcp.onCall = (_params, response) => {
      response.destroy()
      return undefined
    }
    await page.keyboard.type('aa')
    await page.getByRole('link', { name: 'View current request' }).click()
    mcp.onCall = onCall
    await page.getByText('This may already have been done.').waitFor()
    await page.getByRole('button', { name: 'Go on without' }).click()
    await page.getByRole('button', { name: 'Reject', exact: true }).first().click()
    await page.getByText('You rejected this').waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('All requests are decided.').waitFor()
    const { run } = await started.result()
    assert.equal(run.status, 'completed')
  })

  it('fits a phone', { isPhone: true, colorScheme: 'dark' }, async (given) => {
    const { page, person, start, openCase } = given
    const started = await start(three, { name: 'On a phone' })
    await openCase(page, started)
    await page.getByRole('button', { name: 'Approve all 3' }).waitFor()
    await person.findsItAccessible()
    await person.fitsWindow()
    await page.getByRole('button', { name: 'Approve', exact: true }).first().tap()
    await page.getByText('You approved this').waitFor()
    await page.getByRole('button', { name: 'Approve all 2' }).tap()
    await page.getByText('All requests are decided.').waitFor()
  })
})
